"""`vola import`: its arguments, and the kinds of file that it reads."""
