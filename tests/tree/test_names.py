"""One name, one type: no type is defined twice in one program (C++'s one definition rule, which no linker
checks), and every file of a layer opens that layer's namespace.

A scan of the sources, not a parser: it knows comments, literals, namespaces and braces, which is what
tells at which level a `struct X {` stands.
"""

import re
import unittest
from collections import defaultdict

from harness.folders import REPOSITORY

LAYERS = tuple("base metrics crypto web net store adapters images app auth manage execute mail".split())
# Program: its own folder's files and the layers that it may link. A file that is not there is no matter.
PROGRAMS = {"usershell-auth": ("fcgi", "lib"), "usershell-manage": ("fcgi", "lib"), "usershell-execute": ("fcgi", "lib"), "usershellctl": ("ctl", "lib")}
_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
# A namespace, a type with a body, a semicolon or a brace: what decides where we are.
_TOKEN = re.compile(
    r"\bnamespace\s+(?P<space>[\w:]*)\s*\{"
    r"|\b(?:class|struct|enum(?:\s+class|\s+struct)?|union)\s+(?:\[\[\w+\]\]\s*)?(?P<type>\w+)"
    r"(?:\s+final)?\s*(?::(?!:)[^;{}()]*)?\{"
    r"|(?P<open>\{)|(?P<close>\})"
)
_ANONYMOUS = "(anonymous)"


def without_noise(text):
    """The text without comments and literals; digits' separators are no quotes."""
    text = re.sub(r"(?<=\d)'(?=\d)", "", text)
    return _NOISE.sub(" ", text)


def types_of(text):
    """(namespace, type) of every type defined at namespace scope, in order."""
    places = []  # of every open brace: the name of its namespace, or None for any other
    for token in _TOKEN.finditer(without_noise(text)):
        if token["close"]:
            if places:
                places.pop()
        elif token["type"] is not None:
            if None not in places:
                yield "::".join(places), token["type"]
            places.append(None)
        else:
            is_space = token["space"] is not None
            places.append((token["space"] or _ANONYMOUS) if is_space else None)


def namespaces_of(text):
    return {found[1] for found in re.finditer(r"\bnamespace\s+([\w:]+)\s*\{", without_noise(text))}


def clashes(files):
    """Of (path, text) pairs in one program: one line for each type that stands twice, by the same name
    in the same namespace, or once there and once in an unnamed namespace inside it."""
    named, unnamed = defaultdict(list), defaultdict(list)
    for path, text in files:
        for space, name in types_of(text):
            outer, inside, _ = space.partition(_ANONYMOUS)
            (unnamed if inside else named)[f"{outer.rstrip(':')}::{name}"].append(path)
    for name, paths in sorted(named.items()):
        if len(paths + unnamed[name]) > 1:
            yield f"{name}: {', '.join(paths + unnamed[name])}"


def sources(*folders):
    for folder in folders:
        for path in sorted((REPOSITORY / folder).rglob("*.[ch]pp")):
            yield str(path.relative_to(REPOSITORY)), path.read_text(encoding="utf-8")


class Types(unittest.TestCase):
    def test_each_is_defined_once_in_each_program(self):
        for program, folders in PROGRAMS.items():
            files = list(sources(*folders))
            self.assertGreater(sum(len(list(types_of(text))) for _, text in files), 100)
            self.assertEqual(list(clashes(files)), [], program)


class Namespaces(unittest.TestCase):
    def test_every_file_of_a_layer_opens_its_namespace(self):
        """The lowest layer's is usershell itself, or one inside it that is no other layer's."""
        for layer in LAYERS:
            own = "usershell" if layer == "base" else f"usershell::{layer}"
            for path, text in sources(f"lib/{layer}"):
                with self.subTest(file=path):
                    opened = {n for n in namespaces_of(text) if n.split("::")[0] == "usershell"}
                    inside = {n for n in opened if n == own or n.startswith(f"{own}::")}
                    if layer == "base":
                        inside = {n for n in inside if n.split("::")[1:2] not in [[each] for each in LAYERS]}
                    self.assertTrue(inside)
                    self.assertEqual(opened, inside)

    def test_there_is_no_other_layer(self):
        folders = {path.name for path in (REPOSITORY / "lib").iterdir() if path.is_dir()}
        self.assertLessEqual(folders, set(LAYERS))
