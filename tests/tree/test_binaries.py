"""What the linker keeps apart: usershell-manage has neither libcurl nor any code that opens a sealed key,
usershell-execute none that seals or signs."""

import subprocess
import unittest

from harness.stack import programs

OPENS = (
    "crypto_box_seal_open",
    "crypto_box_open",
    "crypto_box_beforenm",
    "usershell::crypto::Unsealer",
)
SEALS = ("usershell::crypto::Sealer", "crypto_sign_detached")
# program: (what it must have, so that the test can fail; what it must not)
RULES = {
    "usershell-manage": (("usershell::crypto::Sealer::seal",), (*OPENS, "curl_easy")),
    "usershellctl": (("usershell::store::migrate",), (*OPENS, "curl_easy")),
    "usershell-execute": (
        ("crypto_box_seal_open", "usershell::crypto::Unsealer::open", "curl_easy"),
        SEALS,
    ),
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Binaries(unittest.TestCase):
    def test_symbols(self):
        for program, (present, absent) in RULES.items():
            path = programs() / program
            symbols = output("nm", "--demangle", path) + output("nm", "--dynamic", path)
            for name in present:
                self.assertTrue(name in symbols, f"{program} has no {name}")
            for name in absent:
                self.assertFalse(name in symbols, f"{program} has {name}")

    def test_libraries(self):
        for program, needed in (("usershell-manage", False), ("usershell-execute", True)):
            path = programs() / program
            self.assertIn("libpqxx", output("readelf", "--dynamic", path))
            self.assertEqual("libcurl" in output("ldd", path), needed, program)


if __name__ == "__main__":
    unittest.main()
