"""The pages' face: python3 font.py INTER WOFF2 OUTLINES. Inter, variable in weight, with the letters that the pages' languages
and people's names are written in; other scripts have the system's faces. OUTLINES: C++ with the outlines of initials, for a
picture has no face of its own. The same bytes each time."""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

WEIGHTS = (400, 700)
# Latin with its extensions, punctuation, currency, and the arrows and signs of the pages.
RANGES = ((0x20, 0x7E), (0xA0, 0x17F), (0x218, 0x21B), (0x2010, 0x2026), (0x202F, 0x203A))
SIGNS = "ẞ€™−×≈≠≤≥←↑→↓↗✓✕⋯⌘"
# Of initials: figures, capitals of Latin, Greek and Cyrillic, and what a capital ß begins with.
INITIALS = [chr(point) for point in range(0x30, 0x430) if chr(point).isdigit() or chr(point).isupper()] + ["?", "s"]
INITIALS_WEIGHT = 600
OUTLINES = """// Made by cmake/font.py.
#include "manage/profile/profile.hpp"

#include <map>

namespace usershell::manage {{

const Outline* outline_of(std::string_view letter) {{
    static const std::map<std::string_view, Outline> table{{
{rows}    }};
    const auto found = table.find(letter);
    return found == table.end() ? nullptr : &found->second;
}}

}} // namespace usershell::manage
"""
FEATURES = ["calt", "case", "ccmp", "kern", "locl", "mark", "tnum"]


def letters():
    return [point for first, last in RANGES for point in range(first, last + 1)] + [ord(sign) for sign in SIGNS]


def outlines(source):
    """The rows of the table: letter, width and path, in thousandths of an em; y grows downwards, as in SVG."""
    font = TTFont(source)
    others = {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes}
    glyphs = font.getGlyphSet(location={**others, "wght": INITIALS_WEIGHT})
    names = font.getBestCmap()
    size = 1000 / font["head"].unitsPerEm
    for letter in INITIALS:
        if ord(letter) not in names:
            continue
        glyph = glyphs[names[ord(letter)]]
        pen = SVGPathPen(glyphs, ntos=lambda number: str(round(number)))
        glyph.draw(TransformPen(pen, (size, 0, 0, -size, 0, 0)))
        yield f'        {{"{letter}", {{{round(glyph.width * size)}, "{pen.getCommands()}"}}}},\n'


def main(source, pressed, drawn):
    Path(drawn).write_text(OUTLINES.format(rows="".join(outlines(source))), encoding="utf-8")
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
