"""Images in a message: scaled down and encoded again, seen before they are sent and after, kept with the conversation."""

import base64
import struct
import unittest

from browser.visits import FULL, Scripted, choose_model, focused, stack_and_browser
from harness.pictures import jpeg, noise, png, png_of_size
from harness.scenes import PLAYGROUND, ROUTE, provider
from selenium.webdriver.common.keys import Keys

NOTE = b"taken at 48.2 N"
DRAWN = """
const canvas = document.querySelectorAll('[data-testid="playground-image"]')[arguments[0]];
return canvas ? [canvas.width, canvas.height, ...canvas.getContext('2d').getImageData(1, 1, 1, 1).data.slice(0, 3)] : null;
"""
# A file that comes by another way: by which event, at which part, and whether the clipboard has text, too.
COMES = """
const [kind, part, data, text] = arguments;
const files = new DataTransfer();
files.items.add(new File([Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))], 'a.jpg', { type: 'image/jpeg' }));
if (text) files.setData('text/plain', text);
const event = kind === 'paste' ? new ClipboardEvent(kind, { clipboardData: files, bubbles: true, cancelable: true })
  : new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true });
document.querySelector(`[data-testid="${part}"]`).dispatchEvent(event);
return event.defaultPrevented;
"""
FILL = """
sessionStorage.setItem('filling', '');
for (let size = 4194304; size >= 1024; size /= 2) {
  try { sessionStorage.setItem('filling', sessionStorage.getItem('filling') + 'x'.repeat(size)); } catch {}
}
sessionStorage.setItem('filling', sessionStorage.getItem('filling').slice(4096));
"""

stack, browser = stack_and_browser()


class Images(unittest.TestCase):
    def setUp(self):
        self.client = stack.newcomer()
        self.made = provider(self.client, f"{stack.stub.url}/v1", name="First", models=("stub-small", "stub-large"))
        self.lets_see("assistant,vision")
        browser.visit(self.client, PLAYGROUND)
        browser.part("playground-add-images")

    def lets_see(self, capabilities):
        answer = self.client.post(
            f"{ROUTE}/{self.made}/models/capabilities?modelId=stub-small", {"capabilities": capabilities}
        )
        self.assertEqual(answer.status, 200)

    def add(self, content, name="a.png", count=1):
        path = stack.folder.sub(name)
        path.write_bytes(content)
        browser.all("playground-files")[0].send_keys(str(path))
        self.wait_images(count)

    def wait_images(self, count):
        browser.wait(lambda: len(browser.all("playground-image")) == count, f"{count} images")

    def test_a_narrow_phone_shows_the_name_of_the_model(self):
        browser.shown_as(320)
        self.addCleanup(browser.shown_as)
        self.assertGreater(browser.part("playground-model").size["width"], 110)

    def test_it_is_made_small_and_sent_without_what_stood_beside_it(self):
        page = Scripted(browser)
        self.add(png_of_size(2000, NOTE))
        self.add(png(3000, 600), "wide.png", 2)
        browser.click("image-remove")
        self.wait_images(1)
        self.assertEqual(focused(browser), "image-remove")
        self.add(png_of_size(2000, NOTE), count=2)
        page.ask("what is it?")
        sent = [(each["type"], base64.b64decode(each["data"])) for each in page.asked()[0]["images"]]
        sizes = [(kind, *struct.unpack(">II", content[16:24])) for kind, content in sent]
        self.assertEqual(sizes, [("image/png", 1568, 314), ("image/png", 8, 8)])
        self.assertNotIn(NOTE, sent[1][1])
        self.assertEqual(browser.shown("playground-images"), [])
        page.say("squares")
        page.ask("and now?")
        history = page.asked()[1]["history"]
        self.assertEqual(history[0]["images"], page.asked()[0]["images"])
        self.assertNotIn("images", page.asked()[1])

    def test_it_is_answered_and_stays_after_a_reload(self):
        self.add(noise(640))  # more than a million bytes
        browser.wait(lambda: browser.run(DRAWN, 0)[0] == 640, "the thumbnail")
        seen = browser.run(DRAWN, 0)
        browser.fill("playground-message", "look")
        browser.click("playground-send")
        browser.mentions("playground-answer-text", "echo: look image/png ")
        browser.wait(lambda: browser.run(DRAWN, 0) == seen, "the image")
        browser.driver.refresh()
        browser.wait(lambda: browser.run(DRAWN, 0) == seen, "the image again")

    def test_it_is_pasted_and_dropped(self):
        data = base64.b64encode(jpeg()).decode()
        self.assertFalse(browser.run(COMES, "paste", "playground-message", data, "a cell of a sheet"))
        self.assertTrue(browser.run(COMES, "paste", "playground-message", data, ""))
        self.wait_images(1)
        self.assertTrue(browser.run(COMES, "drop", "playground-log", data, ""))
        self.wait_images(2)

    def test_it_needs_no_words(self):
        page = Scripted(browser)
        self.add(jpeg(), "a.jpg")
        browser.click("playground-send")
        page.wait_asked(1)
        page.say("a square")
        self.assertEqual((browser.shown("playground-question"), browser.shown("question-copy")), ([], []))
        page.ask("and now?")
        page.say("still")
        choose_model(browser, "stub-large")
        page.ask("and?")
        first, second, blind = page.asked()
        self.assertEqual((first["message"], second["history"][0]["content"]), ("", ""))
        self.assertEqual(second["history"][0]["images"], first["images"])
        self.assertEqual([each["content"] for each in blind["history"]], ["and now?", "still"])
        page.say("nobody knows")
        browser.all("answer-again")[0].click()
        browser.mentions("toast", "stub-large is not known to read images.")
        self.assertEqual((len(page.asked()), browser.shown("question-version")), (3, []))

    def test_it_is_not_sent_to_a_model_that_is_not_known_to_see(self):
        page = Scripted(browser)
        self.add(jpeg(), "a.jpg")
        choose_model(browser, "stub-large")
        browser.fill("playground-message", "look")
        browser.click("playground-send")
        browser.mentions("toast", "stub-large is not known to read images.")
        self.assertEqual((page.asked(), len(browser.all("playground-image"))), ([], 1))
        choose_model(browser, "stub-small")
        browser.click("playground-send")
        page.wait_asked(1)
        page.say("a square")
        choose_model(browser, "stub-large")
        page.ask("and now?")
        page.say("nobody knows")
        self.assertNotIn("images", page.asked()[1]["history"][0])
        self.assertIn("Some images were left out.", browser.all("playground-notes")[1].text)

    def test_a_person_says_that_a_model_sees(self):
        choose_model(browser, "stub-large")
        browser.click("playground-add-images")
        browser.click("image-allow")
        browser.wait(lambda: not browser.shown("image-allow"), "it to be stored")
        self.add(jpeg(), "a.jpg")
        browser.fill("playground-message", "look")
        browser.click("playground-send")
        browser.mentions("playground-answer-text", "echo: look image/jpeg ")

    def test_what_the_server_does_not_take_comes_back(self):
        self.add(jpeg(), "a.jpg")
        self.lets_see("assistant")
        browser.fill("playground-message", "look")
        browser.click("playground-send")
        browser.wait(lambda: browser.all("playground-turn") == [], "the turn to go")
        self.assertEqual(browser.value("playground-message"), "look")
        self.assertEqual(len(browser.all("playground-image", browser.part("playground-images"))), 1)
        self.assertIn("does not read images", browser.part("playground-images-error").text)

    def test_what_is_no_image_and_a_fifth_are_refused(self):
        for number in range(4):
            self.add(jpeg(), "a.jpg", number + 1)
        self.add(jpeg(), "a.jpg", 4)
        browser.mentions("toast", "A message has at most 4 images.")
        self.add(b"\x89PNG no more", "bad.png", 4)
        browser.mentions("toast", "bad.png is damaged")

    def test_where_there_is_no_room_the_text_is_kept(self):
        page = Scripted(browser)
        browser.run(FILL)
        self.add(png(1500, 1500))
        page.ask("look")
        page.say("a square")
        browser.mentions("toast", "The images of this conversation are too large")
        browser.driver.refresh()
        browser.reads("playground-answer-text", "a square")
        self.assertEqual(browser.all("playground-image"), [])

    def keep(self):
        browser.click("playground-conversations")
        browser.click("keep-yes")
        browser.part("conversation-search")
        browser.press(Keys.ESCAPE)

    def test_the_device_keeps_it_where_the_tab_has_no_room(self):
        page = Scripted(browser)
        self.keep()
        browser.run(FILL)
        self.add(png(1500, 1500))
        page.ask("look")
        page.say("a square")
        browser.driver.refresh()
        browser.reads("playground-answer-text", "a square")
        self.wait_images(1)

    def test_and_the_text_alone_where_the_device_has_none_either(self):
        page = Scripted(browser)
        self.keep()
        browser.run(FULL, '"type":"image/')
        self.add(jpeg(), "a.jpg")
        page.ask("look")
        page.say("a square")
        browser.run("sessionStorage.clear()")
        browser.visit(self.client, PLAYGROUND)
        browser.wait(lambda: browser.part("playground-model").is_enabled(), "the page's script")
        browser.click("playground-conversations")
        browser.click("conversation-open")
        browser.reads("playground-answer-text", "a square")
        self.assertEqual(browser.all("playground-image"), [])
