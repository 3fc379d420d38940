"""Export and import. Deletion of the account: cases/own_data.case."""

import json
import unittest

from browser.visits import stack_and_browser
from harness.scenes import PROFILE, listed, provider


def setUpModule():
    global stack, browser
    stack, browser = stack_and_browser()
    browser.shown_as()  # at rest: a page that still scrolls moves what is clicked


class OwnData(unittest.TestCase):
    def choose(self, content):
        path = stack.folder.sub("import.json")
        path.write_text(content, encoding="utf-8")
        browser.part("import-file").send_keys(str(path))

    def bring(self, content, answer):
        """Imports that file; the page says so."""
        self.choose(content)
        browser.click("import")
        browser.mentions("import-result", answer)

    def test_a_file_comes_back(self):
        first = stack.newcomer()
        provider(first, f"{stack.stub.url}/v1", name="Mine")
        file = first.get(f"{PROFILE}/export").json()
        client = stack.newcomer()
        browser.visit(client, PROFILE)
        for content in ("nonsense", "[]", '{"a": 1}'):
            self.bring(content, "not a file")
        bad = {"providers": [*file["providers"], {"name": "N", "type": "exa", "models": [{}]}]}
        self.bring(json.dumps(bad), "Provider 2, model 1:")
        self.bring(json.dumps(file), "1 provider, 1 model")
        found = client.get("/user/providers/list").json()["providers"]
        self.assertEqual([each["name"] for each in found], ["Mine"])
        self.assertFalse(listed(client, found[0]["id"])["hasKey"])
