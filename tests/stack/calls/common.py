"""The stack of the tests of calls: four executing workers."""

from harness.suite import shared_stack


def calls_stack():
    return shared_stack(manage=1, execute=4, settings=[("upstream-test-timeout", 5)])
