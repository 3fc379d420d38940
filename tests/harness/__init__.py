"""A running stack, for `./dev up` and for the tests alike: stack.py puts it together."""
