"""Includes flow downhill: each #include of lib/, fcgi/, mail/ and ctl/ names a layer that the file's layer uses, as CMake
says (USES), or one below it; and one layer owns each outside library. Every file of a layer opens that layer's namespace."""

import re
import unittest

from harness.folders import REPOSITORY

# The mains may include less than their programs are linked with.
MAINS = {
    "fcgi/serve": "fcgi domain pipeline",
    "fcgi/auth": "fcgi fcgi/serve pipeline program auth",
    "fcgi/manage": "fcgi fcgi/serve pipeline program manage",
    "fcgi/execute": "fcgi fcgi/serve runtime pipeline program execute",
    "mail": "base runtime program mail",
}
# The promise, whatever CMake says: these parts alone may include what opens envelopes, and what calls out.
KEPT_APART = {
    "lib/crypto/opening": {"lib/crypto/opening", "lib/crypto/unseal", "lib/execute", "lib/mail", "ctl"},
    "lib/crypto/unseal": {"lib/crypto/unseal", "lib/execute"},
    "lib/net": {"lib/net", "lib/adapters", "lib/execute", "lib/mail"},
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
    "ctemplate/": "lib/web/pages.",
}
_INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
_LAYER = re.compile(r"^usershell_(?:layer|program)\((\w+)\s([^)]*)\)", re.MULTILINE)  # ctl is one as well
_USES = re.compile(r"\bUSES((?:\s+[a-z]+\b)+)")


def parts():
    """A part, and those that its files may include."""
    folders, uses = {}, {}
    for file in REPOSITORY.glob("[clf]*/**/CMakeLists.txt"):
        for layer, words in _LAYER.findall(file.read_text(encoding="utf-8")):
            folders[layer] = str(file.parent.relative_to(REPOSITORY))
            uses[layer] = " ".join(_USES.findall(words)).split()

    def below(layer):
        return {folders[layer]}.union(*map(below, uses[layer]))

    mains = {part: {folders.get(each, each) for each in words.split()} for part, words in MAINS.items()}
    return {folders[layer]: below(layer) for layer in folders} | mains


# The longest part that holds a path is the file's.
MAY_INCLUDE = parts()


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
    if target in {source} | MAY_INCLUDE[source]:
        return None
    return f"{source} may not include {target}"


class Layers(unittest.TestCase):
    def test_this_tree(self):
        count = 0
        for top in ("lib", "fcgi", "mail", "ctl"):
            for file in (REPOSITORY / top).rglob("*.[ch]pp"):
                path = str(file.relative_to(REPOSITORY))
                self.assertIsNotNone(part_of(path), path)
                for quote, header in _INCLUDE.findall(file.read_text(encoding="utf-8")):
                    count += 1
                    self.assertIsNone(mistake(path, header, quote == '"'), f"{path}: {header}")
        self.assertGreater(count, 1000)

    def test_what_is_kept_apart(self):
        for part, users in KEPT_APART.items():
            self.assertEqual({each for each, used in MAY_INCLUDE.items() if part in used}, users, part)

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
