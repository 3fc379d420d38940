"""Includes flow downhill: each #include of lib/, fcgi/, mail/, opener/ and ctl/ names a layer that the file's layer may
include, and one layer owns each outside library. Every file of a layer opens that layer's namespace. Every exception that
our code throws is `Error` or `Refusal`, whose text the log shows; std::bad_alloc is the one other."""

import re
import unittest

from harness.folders import REPOSITORY

# A part, and the other parts that its files may include. The longest part that holds a path is the file's.
MAY_INCLUDE = {
    "lib/base": "",
    "lib/domain": "base",
    "lib/runtime": "base",
    "lib/crypto": "base runtime",
    "lib/crypto/opening": "base crypto",
    "lib/crypto/unseal": "base domain crypto crypto/opening",
    "lib/metrics": "base runtime",
    "lib/web": "base domain runtime",
    "lib/net": "base domain runtime",
    "lib/store": "base domain runtime crypto",
    "lib/adapters": "base domain runtime net",
    "lib/images": "base domain runtime",
    "lib/pages": "base domain web crypto store",
    "lib/program": "base domain runtime metrics crypto store",
    "lib/pipeline": "base domain runtime metrics web crypto store pages",
    "lib/auth": "base domain runtime metrics web crypto store pages pipeline auth/passkeys",
    "lib/auth/passkeys": "base web crypto",
    "lib/manage": "base domain runtime web crypto images store pages pipeline",
    "lib/opener/wire": "base domain runtime crypto store",
    "lib/opener": "base domain runtime metrics crypto crypto/opening crypto/unseal store opener/wire",
    "lib/execute": "base domain runtime metrics web crypto store opener/wire net adapters pages pipeline",
    "lib/mail": "base domain runtime metrics crypto crypto/opening net store",
    "fcgi": "base domain runtime web",
    "fcgi/serve": "fcgi domain pipeline",
    "fcgi/auth": "fcgi fcgi/serve pipeline program auth",
    "fcgi/manage": "fcgi fcgi/serve pipeline program manage",
    "fcgi/execute": "fcgi fcgi/serve runtime pipeline program execute",
    "mail": "base runtime program lib/mail",
    "opener": "base domain runtime metrics crypto crypto/unseal store program lib/opener",
    "ctl": "base domain runtime crypto crypto/opening store web pages",
}
OWNERS = {  # the beginning of a header: the beginning of the paths that may include it
    "fastcgi": "fcgi/",
    "fcgiapp": "fcgi/libfcgi.",
    "fcgios": "fcgi/libfcgi.",
    "pqxx/": "lib/store/",
    "libpq": "lib/store/",
    "postgresql/": "lib/store/",
    "curl/": "lib/net/",
    "sodium": "lib/crypto/",
    "openssl/": "lib/auth/passkeys/",
    "ctemplate/": "lib/web/pages.",
}
_INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def part_of(path):
    return max((part for part in MAY_INCLUDE if path.startswith((part + "/", part + "."))), key=len, default=None)


def mistake(path, header, quoted=True):
    """The rule that this include breaks, or None. A header is named from lib/ or from the root."""
    name = next((f"{top}{header}" for top in ("lib/", "") if (REPOSITORY / f"{top}{header}").is_file()), None)
    if name is None and quoted:
        return f"{header} is not in this tree"
    if name is None:
        owner = next((OWNERS[each] for each in OWNERS if header.startswith(each)), "")
        return None if path.startswith(owner) else f"only {owner} may include {header}"
    source, target = part_of(path), part_of(name)
    allowed = MAY_INCLUDE[source].split()
    if target in (source, *allowed, *(f"lib/{each}" for each in allowed)):
        return None
    return f"{source} may not include {target}"


class Layers(unittest.TestCase):
    def test_this_tree(self):
        count = 0
        for top in ("lib", "fcgi", "mail", "opener", "ctl"):
            for file in (REPOSITORY / top).rglob("*.[ch]pp"):
                path = str(file.relative_to(REPOSITORY))
                self.assertIsNotNone(part_of(path), path)
                for quote, header in _INCLUDE.findall(file.read_text(encoding="utf-8")):
                    count += 1
                    self.assertIsNone(mistake(path, header, quote == '"'), f"{path}: {header}")
        self.assertGreater(count, 1000)

    def test_every_file_opens_the_namespace_of_its_layer(self):
        """That of the vocabulary is usershell itself, or one inside it that is no other layer's."""
        layers = {path.name for path in (REPOSITORY / "lib").iterdir() if path.is_dir()}
        for layer in layers:
            for file in (REPOSITORY / "lib" / layer).rglob("*.[ch]pp"):
                code = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
                opened = set(re.findall(r"\bnamespace usershell(?:::)?(\w*)[\w:]*\s*\{", code))
                with self.subTest(file=str(file)):
                    self.assertTrue(opened)
                    if layer in ("base", "domain", "runtime"):
                        self.assertEqual(opened & layers, set())
                    else:
                        self.assertEqual(opened, {layer})


THROWN = re.compile(r"\bthrow std::(?!bad_alloc\b)")
BASE = re.compile(r": public std::(runtime_error|logic_error|\w+_error|exception)\b")
OWN = {"lib/base/error.hpp"}


class Exceptions(unittest.TestCase):
    def test_only_our_own_are_thrown(self):
        found = []
        for folder in ("lib", "fcgi", "ctl", "mail", "opener"):
            for path in sorted((REPOSITORY / folder).rglob("*.[ch]pp")):
                text = path.read_text(encoding="utf-8")
                name = str(path.relative_to(REPOSITORY))
                if THROWN.search(text) or (BASE.search(text) and name not in OWN):
                    found.append(name)
        self.assertEqual(found, [])
