"""A picture of each state of the pages, at three widths, light and dark: PNGs in the folder USERSHELL_PICTURES, in the
language USERSHELL_LANGUAGE. The states are those of tests/browser."""

import os
from pathlib import Path

from browser import test_accessibility as states
from browser.visits import prefer

FOLDER = Path(os.environ["USERSHELL_PICTURES"])


def setUpModule():
    states.setUpModule()
    prefer(states.browser, os.environ["USERSHELL_LANGUAGE"])


class Screenshots(states.Accessibility):
    def check(self, what):
        for width in states.WIDTHS:
            for look, dark in (("light", False), ("dark", True)):
                states.browser.shown_as(width, dark)
                states.browser.picture(FOLDER / f"{what.replace(' ', '-')}-{width}-{look}.png")
        states.browser.shown_as(1440)
