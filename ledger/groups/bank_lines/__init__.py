"""Lines of a bank's file against the transfers that members of a group still owe each other."""
