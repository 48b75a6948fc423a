"""Tables in the CSV that spreadsheets and banks write: text, columns, amounts and dates.

Knows no group and no member; a cell is text until a reader of amounts or dates converts it.
"""
