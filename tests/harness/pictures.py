"""Small pictures, made byte by byte: PNG (W3C, third edition) and JPEG (ITU T.81)."""

import random
import struct
import zlib

_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"
_OVERHEAD = 12  # length, type and checksum of a chunk


def _chunk(kind, content):
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def png(width=8, height=8, colour=(200, 60, 30), extra=b""):
    """8 bits RGB, one colour all over. extra: chunks before the pixels."""
    return _png(width, height, (b"\x00" + bytes(colour) * width) * height, extra)


def noise(side):
    """A PNG that no encoder makes smaller: each pixel has three bytes of its own."""
    row = 3 * side
    dots = random.Random(side).randbytes(side * row)
    return _png(side, side, b"".join(b"\x00" + dots[at : at + row] for at in range(0, len(dots), row)))


def _png(width, height, rows, extra=b""):
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return _PNG_SIGNATURE + header + extra + _chunk(b"IDAT", zlib.compress(rows)) + _PNG_END


def png_of_size(size, filler=b"x"):
    """A good PNG of exactly that many bytes: `filler`, repeated, is its comment."""
    keyword = b"Comment\x00"
    room = size - len(png()) - _OVERHEAD - len(keyword)
    text = (filler * (room // len(filler) + 1))[:room]
    return png(extra=_chunk(b"tEXt", keyword + text))


def _segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def jpeg(width=8, height=8):
    """Grey, baseline: every block is a DC difference of zero and an end of block, two bits."""
    one_code = bytes([1] + [0] * 15) + b"\x00"
    head = b"\xff\xd8" + _segment(0xDB, b"\x00" + bytes([1] * 64))
    head += _segment(0xC0, struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00")
    head += _segment(0xC4, b"\x00" + one_code) + _segment(0xC4, b"\x10" + one_code)
    head += _segment(0xDA, b"\x01\x01\x00\x00\x3f\x00")
    bits = 2 * (-(-width // 8)) * (-(-height // 8))
    data = bytes(bits // 8) + (bytes([0xFF >> bits % 8]) if bits % 8 else b"")
    return head + data + b"\xff\xd9"
