"""The stand-in for AI providers: __main__.py starts it, behaviours.py tells what it can do."""
