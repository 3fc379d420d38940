"""`./dev bench`: measures the service against others; see `./dev bench --help`."""
