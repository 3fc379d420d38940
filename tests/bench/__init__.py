"""What `./dev bench` measures, and against whom; `python3 -m bench --help` from tests/ says how."""
