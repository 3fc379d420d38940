"""The stack of the tests of trust: slow failures are quick, and two search types lead to the stub."""

from harness.sanitizers import patient
from harness.suite import shared_stack

_SETTINGS = [("upstream-silence-timeout", patient(1)), ("upstream-total-timeout", patient(3))]
_SETTINGS += [("upstream-test-timeout", patient(3))]
_SETTINGS += [("catalogue-base-url", f"{kind}={{stub}}") for kind in ("tavily", "brave-search")]


def trust_stack():
    return shared_stack(manage=1, execute=2, settings=_SETTINGS)
