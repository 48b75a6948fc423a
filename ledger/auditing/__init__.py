"""What an auditor looks at, one thing a file; `ledger/audit.py` puts them together."""
