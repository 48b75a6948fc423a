"""Move the cluster of an older PostgreSQL over to the version that comes with Vola.

A new Vola may bring a newer PostgreSQL, which cannot read the old files. The old version's own
programs, found on this computer, serve the old cluster, and its database is dumped, restored into a
new cluster beside it and compared row by row. Only then do the two folders change names. The old
one stays.
"""
