"""The servers of a stack. Each is an object that starts and ends one."""
