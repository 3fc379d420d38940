"""The stand-in for AI providers. __main__.py starts it; behaviours.py lists what it can do."""
