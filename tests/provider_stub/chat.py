"""The parts that all chat protocols of the stub share."""

import json
from dataclasses import dataclass, field

MODELS = ("stub-small", "stub-large", "vendor/stub-with-slash")


@dataclass
class Chat:
    """One chat request, whatever protocol it came in."""

    model: str
    message: str  # of the last user turn
    stream: bool
    max_tokens: int | None = None
    tokens: list = field(default_factory=list)  # the reply, piece by piece

    def __post_init__(self):
        self.tokens = ["echo:"] + [f" {word}" for word in self.message.split()]

    @property
    def text(self):
        return "".join(self.tokens)


def event(data, name=None):
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def text_of(content):
    """The text of a message content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])
