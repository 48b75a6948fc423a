"""Upgrades of tables and of PostgreSQL, stopped at every statement and every step."""
