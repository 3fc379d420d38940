"""`./dev bench`: measures the service against others; see `python3 -m bench --help` in tests/."""
