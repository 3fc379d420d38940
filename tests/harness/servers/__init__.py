"""What a stack runs or talks to, each as an object that starts and ends it."""
