-- Whoever keeps score may say whose a phone is, and everybody sees it: no PIN is asked for.
DROP TABLE vola.pins;
