"""The linker keeps apart which program has the code that seals, opens, signs, calls out and serves."""

import re
import subprocess
import unittest

from harness.stack import programs

PROGRAMS = ("usershell-auth", "usershell-manage", "usershell-execute", "usershell-opener", "usershell-mail", "usershellctl")
AUTH, MANAGE, EXECUTE, OPENER, MAIL, CTL = PROGRAMS

# Each is found in these programs and in no other one.
SYMBOLS = {
    "usershell::crypto::KeySealer::seal": {MANAGE},
    "usershell::crypto::MailSealer::seal": {AUTH, CTL},
    "crypto_sign_detached": {AUTH, MANAGE, CTL},
    "usershell::store::check_password": {AUTH},
    "usershell::crypto::PasswordHasher::hash": {AUTH, CTL},
    "usershell::crypto::EnvelopeOpener::open": {OPENER, MAIL, CTL},  # ring rewrap: the outer layer
    "usershell::crypto::Unsealer::open": {OPENER},
    "usershell::store::call_rows": {OPENER},  # begins calls and reads envelopes
    "usershell::opener::Client": {EXECUTE},
    "usershell::crypto::parse_ring": set(PROGRAMS) - {EXECUTE},
    "usershell::mail::MailOpener::open": {MAIL},
    "usershell::net::HttpClient::perform": {EXECUTE},
    "usershell::net::deliver": {MAIL},
    "usershell::adapters::ChatReader": {EXECUTE},
}
# libfcgi's operating-system layer is ours (decision 0006): of its functions a program has those that libfcgi calls.
OF_OUR_LAYER = {"OS_Accept", "OS_CreateLocalIpcFd", "OS_IpcClose", "OS_IsFcgi", "OS_LibInit", "OS_Read",
                "OS_ShutdownPending", "OS_Write"}  # fmt: skip
LIBRARIES = {
    "libfcgi": set(),
    "libcurl": {EXECUTE, MAIL},
    "libpqxx": set(PROGRAMS),
    "libsodium": set(PROGRAMS),
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Binaries(unittest.TestCase):
    def test_symbols(self):
        for program in PROGRAMS:
            path = programs() / program
            found = output("nm", "--demangle", path) + output("nm", "--dynamic", path)
            for symbol, owners in SYMBOLS.items():
                self.assertEqual(symbol in found, program in owners, f"{symbol} in {program}")

    def test_libfcgi_has_our_operating_system_layer(self):
        for program in PROGRAMS:
            found = re.findall(r" [TW] (OS_\w+)$", output("nm", programs() / program), re.M)
            serves = program in (AUTH, MANAGE, EXECUTE)
            self.assertEqual(set(found), OF_OUR_LAYER if serves else set(), program)

    def test_libraries(self):
        for program in PROGRAMS:
            needed = output("readelf", "--dynamic", programs() / program)
            for library, owners in LIBRARIES.items():
                self.assertEqual(library in needed, program in owners, f"{library} in {program}")

    def test_no_library_brings_what_the_program_lacks(self):
        for program in (AUTH, MANAGE, CTL):
            self.assertNotIn("libcurl", output("ldd", programs() / program))
