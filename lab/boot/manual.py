"""docs/operations.md as a script: the commands under each heading, and which of them have been run."""

import re

from harness.folders import REPOSITORY


class Manual:
    def __init__(self):
        text = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")
        self._sections = {}
        for part in text.split("\n## ")[1:]:
            heading, _, body = part.partition("\n")
            self._sections[heading] = "".join(re.findall(r"```sh\n(.*?)```", body, re.DOTALL))
        self._left = {heading for heading, script in self._sections.items() if script}

    def commands(self, heading):
        """Its commands, one a line, in order; they count as run."""
        self._left.discard(heading)
        joined = self._sections[heading].replace("\\\n", "")
        return [line for line in joined.splitlines() if line]

    def left(self):
        """The headings whose commands nobody has asked for."""
        return sorted(self._left)
