"""What the linker keeps apart: usershell-manage has neither libcurl nor any code that opens a sealed key."""

import os
import subprocess
import unittest
from pathlib import Path

BIN = Path(os.environ["USERSHELL_BUILD"]) / "bin"
OPENING = ("crypto_box_seal_open", "crypto_box_open", "crypto_box_beforenm")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(program):
    return output("nm", "--demangle", str(BIN / program)) + output(
        "nm", "--dynamic", str(BIN / program)
    )


class Manage(unittest.TestCase):
    def test_needs_no_libcurl(self):
        needed = output("readelf", "--dynamic", str(BIN / "usershell-manage"))
        self.assertIn("libpqxx", needed)
        self.assertNotIn("libcurl", needed)
        self.assertNotIn("libcurl", output("ldd", str(BIN / "usershell-manage")))

    def test_has_nothing_that_opens(self):
        found = symbols("usershell-manage")
        self.assertIn("usershell::Sealer::seal", found)
        for name in (*OPENING, "usershell::Unsealer"):
            self.assertNotIn(name, found)

    def test_usershellctl_neither(self):
        found = symbols("usershellctl")
        for name in (*OPENING, "usershell::Unsealer", "curl_easy"):
            self.assertNotIn(name, found)


class Execute(unittest.TestCase):
    """The same look at the other program finds them, so that the test above can fail."""

    def test_has_both(self):
        found = symbols("usershell-execute")
        for name in ("crypto_box_seal_open", "usershell::Unsealer::open", "curl_easy"):
            self.assertIn(name, found)

    def test_can_not_seal(self):
        found = symbols("usershell-execute")
        for name in ("usershell::Sealer", "crypto_sign_detached"):
            self.assertNotIn(name, found)


if __name__ == "__main__":
    unittest.main()
