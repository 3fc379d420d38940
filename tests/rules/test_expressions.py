"""A stranger's request costs no more than its bytes: every regular expression of nginx's configuration takes steps
in line with the length of its text. Steps are counted by the engine of nginx, PCRE2, without what makes some
patterns quick. Texts on a page: browser/test_long_answers."""

import ctypes
import itertools
import re
import unittest
from re import _constants as sre
from re import _parser

from harness.folders import REPOSITORY

_NGINX = REPOSITORY / "deploy" / "nginx"
_LENGTH = 8192
_SHORTER = 2048  # behind a beginning and before an end
_STEPS = 48  # for each character; a quadratic one takes more than 512 at the shorter length
_STRANGER = "\x01"  # that no expression names

_CASELESS, _DOLLAR = 0x8, 0x10
_AS_WRITTEN = 0x4000 | 0x8000 | 0x10000  # no auto-possession, no anchor of `.*`, no look ahead for a start
_LIMIT_REACHED = -47

_pcre = ctypes.CDLL("libpcre2-8.so.0")
for _name in ("compile", "match_context_create", "match_data_create_from_pattern"):
    getattr(_pcre, f"pcre2_{_name}_8").restype = ctypes.c_void_p


class Expression:
    """One of them, as it is tried at each place of a text, behind each match again."""

    def __init__(self, pattern, flags=0):
        self.pattern = pattern
        text = rf"\A(?:(?>{pattern})|(?s:.))*+".encode()
        error, offset = ctypes.c_int(), ctypes.c_size_t()
        self._code = ctypes.c_void_p(
            _pcre.pcre2_compile_8(text, ctypes.c_size_t(len(text)), ctypes.c_uint32(flags | _DOLLAR | _AS_WRITTEN),
                                  ctypes.byref(error), ctypes.byref(offset), None))  # fmt: skip
        if not self._code:
            raise ValueError(f"{pattern}: error {error.value} at {offset.value}")
        self._data = ctypes.c_void_p(_pcre.pcre2_match_data_create_from_pattern_8(self._code, None))
        self._context = ctypes.c_void_p(_pcre.pcre2_match_context_create_8(None))

    def is_linear(self, text):
        text = text.encode()
        _pcre.pcre2_set_match_limit_8(self._context, ctypes.c_uint32(_STEPS * len(text)))
        found = _pcre.pcre2_match_8(self._code, text, ctypes.c_size_t(len(text)), ctypes.c_size_t(0),
                                    ctypes.c_uint32(0), self._data, self._context)  # fmt: skip
        assert found in (1, _LIMIT_REACHED) or found > 0, (self.pattern, found)
        return found != _LIMIT_REACHED

    def costly_text(self):
        """The first of the texts that takes too many steps, or None."""
        return next((text for text in texts(self.pattern) if not self.is_linear(text)), None)


def parsed(pattern):
    pattern = re.sub(r"\(\?<(?=\w)", "(?P<", pattern)
    return _parser.parse(re.sub(r"\\p\{\w+\}", r"\\w", pattern), _parser.SRE_FLAG_DOTALL)


_OF_CATEGORY = {sre.CATEGORY_DIGIT: "5", sre.CATEGORY_SPACE: " \t", sre.CATEGORY_WORD: "w"}


def named(items):
    """Characters that stand in it, with both ends of each range."""
    for kind, value in items:
        if kind in (sre.LITERAL, sre.NOT_LITERAL):
            yield chr(value)
        elif kind is sre.RANGE:
            yield from map(chr, value)
        elif kind is sre.CATEGORY:
            yield from _OF_CATEGORY.get(value, "x")
        elif kind is sre.IN:
            yield from named(value)
        elif kind is sre.BRANCH:
            yield from named(itertools.chain.from_iterable(value[1]))
        elif kind not in (sre.AT, sre.ANY, sre.NEGATE):
            yield from named(value[-1])


def one_of(value):
    """A character of a class."""
    kind, content = value[0]
    if kind is sre.NEGATE:
        return "x"
    return next(named([(kind, content)]))


def beginnings(items, turn, before=""):
    """Texts that lead to each part of it that repeats without bound, and last one that matches it whole; of
    alternatives the one whose turn it is."""
    for kind, value in items:
        if kind is sre.LITERAL:
            before += chr(value)
        elif kind is sre.NOT_LITERAL or kind is sre.ANY:
            before += "x"
        elif kind is sre.IN:
            before += one_of(value)
        elif kind is sre.BRANCH:
            *inner, before = beginnings(value[1][turn % len(value[1])], turn, before)
            yield from inner
        elif kind in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
            *inner, before = beginnings(value[-1], turn, before)
            yield from inner
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, content = value
            if most is sre.MAXREPEAT:
                yield before
            for _ in range(max(least, 1)):
                *inner, before = beginnings(content, turn, before)
                yield from inner
    yield before


def texts(pattern):
    """Long ones of each character and pair that it names; shorter ones behind what leads to a repetition, with an end
    that breaks a match; and what matches it, again and again."""
    tree = parsed(pattern)
    characters = sorted({*named(tree), _STRANGER})
    pairs = ["".join(pair) for pair in itertools.permutations(characters, 2)]
    for unit in (*characters, *pairs):
        yield unit * (_LENGTH // len(unit))
    starts = sorted({start for turn in range(4) for start in beginnings(tree, turn)})
    for start in filter(None, starts):
        yield start * (_LENGTH // len(start))
    for start, unit, end in itertools.product({"", *starts}, characters, ("", *characters)):
        yield start + unit * _SHORTER + end
    for start, unit in itertools.product(filter(None, starts), pairs):
        yield start + unit * (_SHORTER // 2) + _STRANGER


_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|((?:[^\s;{}"\\]|\\.)[^\s;]*|[;{}])')


def of_nginx(text):
    """Those of a configuration: what stands behind `~` or `~*`, apart or together, and the first word of `rewrite`."""
    text = re.sub(r"(?m)^\s*#.*", "", text)
    words = [quoted or bare for quoted, bare in _WORD.findall(text)]
    for word, following in zip(words, words[1:]):
        if word in ("~", "~*", "!~", "!~*", "rewrite"):
            yield following, _CASELESS * word.endswith("*")
        elif word.startswith("~"):
            yield word.lstrip("~").removeprefix("*"), _CASELESS * word.startswith("~*")


class Expressions(unittest.TestCase):
    def test_each_is_linear(self):
        found = {each for path in _NGINX.rglob("*.conf") for each in of_nginx(path.read_text(encoding="utf-8"))}
        self.assertGreaterEqual(len(found), 20)
        for pattern, flags in sorted(found):
            with self.subTest(expression=pattern):
                costly = Expression(pattern, flags).costly_text()
                self.assertIsNone(costly and f"{costly[:40]!r} … {costly[-5:]!r}")
                self.assertNotRegex(pattern, r"\(\?<?[=!][^()]*[*+]", "steps in an assertion are not counted")

    def test_quadratic_ones_are_found(self):
        for pattern in (r"\s+$", r"\|(?:.*?[,\s])??(?<found>de|en)(?![A-Za-z])", r"^a*b*a*$", r"b>([^<]*)<",
                        r"^[^\n]*\|[^\n]*\n-", r"^`{3}[ \t]*([^`\n]*)$", r"(\w+)+;"):  # fmt: skip
            self.assertIsNotNone(Expression(pattern).costly_text(), pattern)
