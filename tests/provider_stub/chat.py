"""The parts that all chat protocols of the stub share."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field

MODELS = ("stub-small", "stub-large", "vendor/stub-with-slash")


@dataclass
class Chat:
    """One chat request, whatever protocol it came in."""

    model: str
    message: str  # of the last user turn
    stream: bool
    max_tokens: int | None = None
    tools: tuple = ()  # the names that the message may call, see _call
    as_json: bool = False  # the reply is a JSON object
    lacks: str | None = None  # a member that the request must have
    billed: bool = True  # it is in the books
    shows_usage: bool = True
    asks_for_usage: bool = False  # of OpenAI's streams
    cached: int = 0  # of the input tokens
    documents: int = 0  # to rank
    compacts: bool = False  # a conversation, into one item
    tokens: list = field(default_factory=list)  # the reply, or its tool's arguments, piece by piece
    tool: str | None = None  # the reply is a call of it
    sequence: int = 0  # of the events of a response
    vectors: list = field(default_factory=list)  # of an embedding

    def __post_init__(self):
        self.tokens = ["echo:"] + [f" {word}" for word in self.message.split()]
        if self.as_json:
            self.tokens = _pieces(json.dumps({"echo": self.message}, ensure_ascii=False))
        if found := _call(self.message, self.tools):
            self.tool, arguments = found
            self.tokens = _pieces(arguments)

    @property
    def text(self):
        return "".join(self.tokens)

    @property
    def input(self):
        """Input tokens: seven for the request, one for each word."""
        return self.cached + 7 + len(self.message.split())

    @property
    def output(self):
        return len(self.tokens)

    def finish(self, finish):
        """Why the reply ended."""
        return "tool_calls" if self.tool and finish == "stop" else finish


def _pieces(text, size=5):
    return [text[at : at + size] for at in range(0, len(text), size)]


def _call(message, tools):
    """(name, arguments) when the message has `call NAME {JSON}` with one of these tools, else None."""
    for found in re.finditer(r"\bcall (\S+) (?={)", message):
        if found[1] in tools:
            _, end = json.JSONDecoder().raw_decode(message, found.end())
            return found[1], message[found.end() : end]
    return None


def event(data, name=None):
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def text_of(content):
    """The text of a message content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") + image_of(part) for part in content or [])


def image_of(part):
    """Of a part with an image, in any of the formats, its type, bytes and SHA-256; of another part none."""
    source = part.get("source") or part.get("inlineData") or {}
    kind, data = source.get("media_type", source.get("mimeType")), source.get("data", "")
    url = part.get("image_url")  # a text in the form of Responses
    if url := url.get("url") if isinstance(url, dict) else url:
        kind, _, data = url.removeprefix("data:").partition(";base64,")
    image = base64.b64decode(data, validate=True)
    return f" {kind} {len(image)} {hashlib.sha256(image).hexdigest()} " if kind else ""
