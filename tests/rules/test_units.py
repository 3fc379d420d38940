"""systemd keeps usershell-execute from the networks that lib/base/address calls not public: the same ones."""

import ipaddress
import json
import re
import subprocess
import unittest

from harness.folders import REPOSITORY
from harness.stack import programs

UNIT = REPOSITORY / "systemd" / "usershell-execute@.service"


def networks(words):
    return [ipaddress.ip_network(word) for word in words]


def outside(allowed):
    """What is left of IPv6 without that network."""
    return ipaddress.ip_network("::/0").address_exclude(allowed)


def merged(found):
    """One spelling of a set of networks, each family in order."""
    families = ([each for each in found if each.version == version] for version in (4, 6))
    return [list(ipaddress.collapse_addresses(family)) for family in families]


class Execute(unittest.TestCase):
    def test_what_is_denied_is_what_is_not_public(self):
        table = json.loads(subprocess.check_output([programs() / "print_rules"]))["networks"]
        (public,) = networks(table["global"])
        lines = re.findall(r"^IPAddressDeny=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
        denied = networks(" ".join(lines).split())
        self.assertEqual(merged(denied), merged([*networks(table["special"]), *outside(public)]))
