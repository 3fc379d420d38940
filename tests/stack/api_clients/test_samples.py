"""The code that the playground shows for a message (playground/code_samples.js), run as it is but for the token: what
was written arrives, whatever signs are in it."""

import json
import unittest

from common import SDKS, address, environment, installed
from harness.folders import REPOSITORY
from harness.processes import finished
from harness.npm import skip_without_npm

TEXT = "it's \"quoted\" \\ and \\n, $HOME `id` $(id) %s\nJSON\n</script> 'EOF' !! 🙂 \u2028 é\ttab\u007f"
SAID = f"echo: {' '.join(TEXT.split())}"  # the stand-in speaks in words
MAKE = """
import { samplesOf } from '%s';
const [api, about] = JSON.parse(process.argv[1]);
console.log(JSON.stringify(samplesOf(api, about)));
""" % (REPOSITORY / "deploy" / "nginx" / "assets" / "playground" / "code_samples.js")


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        skip_without_npm()
        cls.at = address("samples")

    def code(self, api, stream):
        """{language: code} for a message that follows another."""
        said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": TEXT}]
        sent = {"message": TEXT, "system": TEXT, "history": said, "temperature": 0.5, "stream": stream}
        model, kind = (self.at["model"], "generic-compatible") if api == "chat" else (self.at["claude"], "anthropic")
        about = {"origin": self.at["base"], "model": model, "type": kind, "sent": sent}
        made = finished(["node", "--input-type=module", "-e", MAKE, "--", json.dumps([api, about])])
        self.assertEqual(made.returncode, 0, made.stderr)
        return {name: text.replace("YOUR_TOKEN", self.at["key"]) for name, text in json.loads(made.stdout).items()}

    def test_curl(self):
        for api, place in (("chat", ("choices", 0, "message", "content")), ("messages", ("content", 0, "text"))):
            with self.subTest(api=api):
                done = finished(["bash", "-c", self.code(api, False)["curl"]], env=environment())
                answer = json.loads(done.stdout)
                for step in place:
                    answer = answer[step]
                self.assertEqual(answer, SAID)
                done = finished(["bash", "-c", self.code(api, True)["curl"]], env=environment())
                self.assertIn("data: ", done.stdout, done.stderr)

    def test_javascript(self):
        folder = installed(SDKS)
        for api in ("chat", "messages"):
            for stream in (True, False):
                with self.subTest(api=api, stream=stream):
                    (folder / "sample.mjs").write_text(self.code(api, stream)["JavaScript"], encoding="utf-8")
                    done = finished(["node", folder / "sample.mjs"], cwd=folder, env=environment())
                    self.assertEqual(done.stdout.removesuffix("\n"), SAID, done.stderr)
