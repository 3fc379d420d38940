"""The pages' face: python3 font.py INTER WOFF2. Inter, variable in weight, with the letters that the pages' languages and
people's names are written in; other scripts have the system's faces. The same bytes each time."""

import sys

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

WEIGHTS = (400, 700)
# Latin with its extensions, punctuation, currency, and the arrows and signs of the pages.
RANGES = ((0x20, 0x7E), (0xA0, 0x17F), (0x218, 0x21B), (0x2010, 0x2026), (0x202F, 0x203A))
SIGNS = "ẞ€™−×≈≠≤≥←↑→↓↗✓✕⋯⌘"
FEATURES = ["calt", "case", "ccmp", "kern", "locl", "mark", "tnum"]


def letters():
    return [point for first, last in RANGES for point in range(first, last + 1)] + [ord(sign) for sign in SIGNS]


def main(source, pressed):
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(layout_features=FEATURES, hinting=False, notdef_outline=True)
    cut = subset.Subsetter(options)
    cut.populate(unicodes=letters())
    cut.subset(font)
    others = {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes}
    font = instancer.instantiateVariableFont(font, {**others, "wght": WEIGHTS})
    font.flavor = "woff2"
    font.save(pressed)


main(*sys.argv[1:])
