"""The fuzz targets and their corpus, which is one file of text, corpus.txt; replay.cpp reads it too:

    == TARGET
    name of an input
        its bytes, in pieces
        \\x00\\r\\n

A line `== TARGET` is before the inputs of each target. Another line that is not indented names an input; the lines below
it, indented by four spaces, are its bytes. The end of such a line is no byte. Printable ASCII stands for itself; `\\n`,
`\\r`, `\\\\` and `\\xNN` are bytes that are not, and a blank at the end of a line.
"""

import re
from pathlib import Path

# Each file in targets/ names what its targets hold. Name: bytes of an input at most.
TARGETS = {
    "address": 512, "chat_answer": 512, "content_coding": 512, "envelope": 1024, "error_body": 512, "event_stream": 512, "fastcgi": 1024,
    "fields": 160, "form": 512, "image": 2048, "json_body": 1024, "model_list": 1024,
    "multipart": 1024, "opener_question": 512, "passkey": 1024, "provider_head": 512, "relay_answer": 512,
    "relay_body": 512, "request": 512,
}  # fmt: skip
CORPUS = Path(__file__).resolve().with_name("corpus.txt")
_HEADING = "== "
_INDENT = "    "
_LONGEST = 110  # characters of a piece, about
_SHORT = {0x0A: "\\n", 0x0D: "\\r", 0x5C: "\\\\"}
_BYTE = re.compile(rb"\\n|\\r|\\\\|\\x[0-9a-f]{2}|[^\\]")
_OF_SHORT = {text.encode(): bytes([value]) for value, text in _SHORT.items()}


def _value(word):
    return _OF_SHORT.get(word) or (bytes([int(word[2:], 16)]) if word.startswith(b"\\x") else word)


def read():
    """target → {name: bytes}."""
    corpora, inputs, name = {}, {}, None
    for line in CORPUS.read_text(encoding="ascii").splitlines():
        if line.startswith(_HEADING):
            inputs = corpora[line.removeprefix(_HEADING)] = {}
        elif line.startswith(_INDENT):
            inputs[name] += b"".join(map(_value, _BYTE.findall(line.removeprefix(_INDENT).encode())))
        else:
            name = line
            inputs[name] = b""
    return corpora


def text(name, content):
    """An input as the file has it: a line ends after a line feed of the input, or when it is long."""
    pieces = [""]
    for value in content:
        if len(pieces[-1]) > _LONGEST or pieces[-1].endswith(_SHORT[0x0A]):
            pieces.append("")
        pieces[-1] += _SHORT.get(value) or (chr(value) if 0x20 <= value < 0x7F else f"\\x{value:02x}")
    lines = [re.sub(" $", r"\\x20", _INDENT + piece) for piece in pieces if piece]
    return "".join(f"{line}\n" for line in (name, *lines))
