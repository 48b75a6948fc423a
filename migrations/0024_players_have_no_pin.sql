-- Every scorer may register whose a phone is, and everybody sees it: no PIN is needed.
DROP TABLE vola.pins;
