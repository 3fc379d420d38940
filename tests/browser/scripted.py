"""A playground whose answers a test writes itself, frame by frame: the page's own request for one is
kept, and answered by answer() and end()."""

import json

_SCRIPT = """
const real = window.fetch;
window.asked = [];
window.answers = [];
window.fetch = (path, options) => {
  if (path !== '/user/providers/playground') return real(path, options);
  window.asked.push(JSON.parse(options.body));
  const body = new ReadableStream({
    start(controller) {
      window.answers.push(controller);
      options.signal.addEventListener('abort', () => controller.error(options.signal.reason));
    },
  });
  return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
};
window.copied = [];
navigator.clipboard.writeText = (text) => Promise.resolve(window.copied.push(text));
"""


class Scripted:
    """Of the page that the browser shows now."""

    def __init__(self, browser):
        self._browser = browser
        browser.run(_SCRIPT)

    def ask(self, message):
        """Sends the message; its requests are asked() from then on."""
        count = len(self.asked())
        self._browser.fill("playground-message", message)
        self._browser.click("playground-send")
        self.wait_asked(count + 1)

    def asked(self):
        return self._browser.run("return window.asked")

    def wait_asked(self, count):
        self._browser.wait(lambda: len(self.asked()) >= count, f"{count} requests")

    def copied(self):
        return self._browser.run("return window.copied.at(-1)")

    def answer(self, *frames, number=-1):
        data = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames)
        script = "window.answers.at(arguments[0]).enqueue(new TextEncoder().encode(arguments[1]))"
        self._browser.run(script, number, data)

    def end(self, number=-1, **facts):
        self.answer({"done": True, "model": "stub-small", **facts}, number=number)
        self._browser.run("window.answers.at(arguments[0]).close()", number)

    def say(self, *tokens):
        """A whole answer to the newest request."""
        self.answer(*({"token": token} for token in tokens))
        self.end()
        self._browser.wait(lambda: self.states()[-1] == "done", "the end of the answer")

    def states(self):
        return [a.get_attribute("data-state") for a in self._browser.all("playground-answer")]
