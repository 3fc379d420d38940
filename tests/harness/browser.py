"""Debian's Chromium, driven headless by its own driver; and how much work a page's main thread did, by its tracing.

Browser and driver are started here, not one by the other, so that neither outlives a test that is killed.
"""

import base64
import hashlib
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

import trio
import trio_websocket
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chromium.remote_connection import ChromiumRemoteConnection
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.file_detector import UselessFileDetector
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from .processes import HarnessError, end, spawn, tail, wait_until
from .sanitizers import patient

_TIMEOUT = patient(30)
_STARTS = 5
_GONE = "does not belong to the document"  # chromedriver, while one page takes another's place
_RECORD = """const of = (name) => arguments[0].closest(`[data-${name}]`)?.getAttribute(`data-${name}`) ?? '';
return ['provider-id', 'account-id', 'model-id'].map(of);"""
_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-dev-shm-usage --disable-background-networking --disable-component-update "
    "--disable-sync --window-size=1280,1000 --remote-debugging-port=0 --force-prefers-reduced-motion"
)


def _trusting(path):
    """The flag by which the certificate in that file is right: the hash of its public key."""
    key = x509.load_pem_x509_certificate(path.read_bytes()).public_key()
    form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    digest = hashlib.sha256(key.public_bytes(*form)).digest()
    return f"--ignore-certificate-errors-spki-list={base64.b64encode(digest).decode()}"


def _is_passing(error):
    """Whether only the moment was wrong: the page was being drawn anew, or something lay above."""
    passing = (StaleElementReferenceException, ElementClickInterceptedException)
    return isinstance(error, passing) or _GONE in error.msg


class Part(WebElement):
    """A part of the page, which is found again when the page has drawn it anew: by its name and, where
    it is one of several, by the record that it shows."""

    def __init__(self, found, find):
        super().__init__(found.parent, found.id)
        self._find = find

    def _again(self, act, *arguments):
        deadline = time.monotonic() + _TIMEOUT
        while True:
            try:
                return act(*arguments)
            except WebDriverException as error:
                if not _is_passing(error) or time.monotonic() > deadline:
                    raise
                self._id = self._find().id

    def _execute(self, command, params=None):
        return self._again(super()._execute, command, params)

    def find_element(self, *place):
        """A part of it, which is found again just so."""

        def find():
            return super(Part, self).find_element(*place)

        return Part(find(), find)

    def get_attribute(self, name):
        return self._again(super().get_attribute, name)

    def is_displayed(self):
        return self._again(super().is_displayed)


class Browser:
    """One browser with an empty profile. Parts of a page are named by their data-testid.
    `certificate` (Certificate) counts as right; without one every certificate will do, but then
    Chromium keeps nothing in its cache."""

    def __init__(self, certificate=None):
        self._profile = tempfile.TemporaryDirectory(prefix="usershell-browser-", ignore_cleanup_errors=True)
        folder = Path(self._profile.name)
        self._log = folder / "log"
        trust = _trusting(certificate.certificate) if certificate else "--ignore-certificate-errors"
        command = ["/usr/bin/chromium", *_FLAGS.split(), f"--user-data-dir={folder}", trust]
        self._chromium = spawn([*command, "about:blank"], self._log)
        self.driver = self._connect(folder / "DevToolsActivePort")
        self.driver.set_script_timeout(300)  # a busy machine is no fault of a script

    def _connect(self, port_file):
        options = Options()
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})

        def where():
            return port_file.exists() and port_file.read_text().count("\n")

        wait_until(where, "Chromium", process=self._chromium, log=self._log)
        port, path = port_file.read_text().split()
        options.debugger_address = f"127.0.0.1:{port}"
        self.tracing_address = f"ws://{options.debugger_address}{path}"
        address = f"http://127.0.0.1:{self._start_driver()}"
        connection = ChromiumRemoteConnection(address, "goog", "chrome")
        driver = webdriver.Remote(connection, options=options)
        driver.file_detector = UselessFileDetector()  # our files are the browser's, too
        return driver

    def _start_driver(self):
        """The port of chromedriver. It takes one that is free in IPv4 and ends when that one is taken in
        IPv6: then it is started again."""
        for _ in range(_STARTS):
            command = ["/usr/bin/chromedriver", "--port=0"]
            self._driver_process = spawn(command, self._log, stdout=subprocess.PIPE)
            for line in self._driver_process.stdout:
                if found := re.search(rb"started successfully on port (\d+)", line):
                    return int(found[1])
            self._end_driver()
        raise HarnessError(f"chromedriver did not start:\n{tail(self._log)}")

    def _end_driver(self):
        end(self._driver_process)
        self._driver_process.stdout.close()

    def close(self):
        self.driver.quit()
        self._end_driver()
        end(self._chromium)
        self._profile.cleanup()

    def wait(self, condition, what="the page"):
        """Waits until condition() is true and returns what it returned. A part may go meanwhile,
        with the page before."""

        def now(_):
            try:
                return condition()
            except WebDriverException as error:
                if not _is_passing(error):
                    raise
                return None

        return WebDriverWait(self.driver, _TIMEOUT, 0.02).until(now, what)

    def all(self, testid, within=None):
        return (within or self.driver).find_elements(By.CSS_SELECTOR, f'[data-testid="{testid}"]')

    def part(self, testid, within=None):
        """The first such part that can be seen; waits for it."""
        found, record = self._seen(testid, within)
        return Part(found, lambda: self._seen(testid, within, record)[0])

    def _seen(self, testid, within, record=None):
        """(part, the ids of what it shows) of the first that can be seen; of that record, if given."""

        def seen():
            for part in self.all(testid, within):
                if part.is_displayed():
                    shows = self.run(_RECORD, part)
                    if record in (None, shows):
                        return part, shows
            return None

        return self.wait(seen, f"{testid} to be seen")

    def reads(self, testid, words, within=None):
        """Waits until the text of that part is `words`."""
        self._until(testid, within, lambda text: text == words, f"to read {words!r}")

    def mentions(self, testid, words, within=None):
        """Waits until the text of that part has `words` in it."""
        self._until(testid, within, lambda text: words in text, f"to mention {words!r}")

    def _until(self, testid, within, fits, what):
        seen = []

        def as_wanted():
            seen[:] = [self.part(testid, within).text]
            return fits(*seen)

        try:
            self.wait(as_wanted)
        except TimeoutException:
            raise AssertionError(f"waited in vain for {testid} {what}: {seen}") from None

    def shown(self, testid):
        """Those that can be seen now."""
        return [part for part in self.all(testid) if part.is_displayed()]

    def click(self, testid, within=None):
        part = self.part(testid, within)
        self.wait(part.is_enabled, f"{testid} to be enabled")
        part.click()

    def fill(self, testid, text, within=None):
        part = self.part(testid, within)
        part.clear()
        part.send_keys(text)

    def press(self, *keys, shift=False):
        """Keys and texts one after the other, wherever the focus is."""
        chain = ActionChains(self.driver)
        if shift:
            chain.key_down(Keys.SHIFT)
        chain.send_keys(*keys)
        if shift:
            chain.key_up(Keys.SHIFT)
        chain.perform()

    def value(self, testid):
        """What is typed into that field."""
        return self.part(testid).get_attribute("value")

    def shown_as(self, width=1280, dark=False):
        """The page as on a window of that width, in a light or a dark colour scheme, at rest."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600}
        self.command("Emulation.setEmulatedMedia", features=[scheme])
        self.command("Emulation.setDeviceMetricsOverride", **size)

    def picture(self, path):
        """Writes a picture of the whole page; of the window where a dialog lies over it."""
        whole = not self.run("return document.querySelector('dialog[open]') !== null")
        answer = self.command("Page.captureScreenshot", captureBeyondViewport=whole, format="png")
        path.write_bytes(base64.b64decode(answer["data"]))

    def command(self, method, /, **parameters):
        """A command of Chromium's own protocol, and its answer."""
        words = {"cmd": method, "params": parameters}
        return self.driver.execute("executeCdpCommand", words)["value"]

    def become(self, client):
        """Takes over the session of that client, None for no session; the page does not notice."""
        self.command("Network.clearBrowserCookies")
        for name, value in (client.cookies if client else {}).items():
            cookie = {"name": name, "value": value, "secure": True, "path": "/"}
            self.command("Network.setCookie", url=client.base_url, **cookie)

    def visit(self, client, path="/user/providers"):
        """Opens the page with the session of that client, as another tab of its browser would."""
        self.become(client)
        self.driver.get(f"{client.base_url}{path}")

    def offline(self, lost):
        """Without a network, or with one again."""
        rates = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.command("Network.enable")
        self.command("Network.emulateNetworkConditions", offline=lost, **rates)

    def run(self, script, *arguments):
        """What the script returns, run in the page."""
        return self.driver.execute_script(script, *arguments)

    def complaints(self):
        """What the page's scripts, its policy and its requests complained about."""
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]


_LARGEST = 256 * 1024 * 1024
_CATEGORIES = ["devtools.timeline", "blink.user_timing", "__metadata"]
_MARK = "usershell-traced"


async def _of_the_page(browser, action):
    """The events of the main thread of the page that the browser shows; the browser's own parts are pages, too."""

    def marked():
        browser.run(f"performance.mark('{_MARK}')")
        action()

    events = await _events(browser.tracing_address, marked)
    main = next((e["pid"], e["tid"]) for e in events if e["name"] == _MARK)
    return [e for e in events if (e["pid"], e["tid"]) == main]


async def _events(address, action):
    found = []
    async with trio_websocket.open_websocket_url(address, max_message_size=_LARGEST) as socket:

        async def until(finished):
            while True:
                message = json.loads(await socket.get_message())
                if message.get("method") == "Tracing.dataCollected":
                    found.extend(message["params"]["value"])
                if finished(message):
                    return

        configuration = {"includedCategories": _CATEGORIES, "recordMode": "recordContinuously"}
        start = {"transferMode": "ReportEvents", "traceConfig": configuration}
        await socket.send_message(json.dumps({"id": 1, "method": "Tracing.start", "params": start}))
        await until(lambda message: message.get("id") == 1)
        await trio.to_thread.run_sync(action)
        await socket.send_message(json.dumps({"id": 2, "method": "Tracing.end"}))
        await until(lambda message: message.get("method") == "Tracing.tracingComplete")
    return found


def work_during(browser, action):
    """How many elements got their style anew during action() and how many boxes their place, all frames together. Counts,
    because they are the same on a slow machine: there are fewer frames there, and each has more to draw."""
    events = trio.run(_of_the_page, browser, action)
    restyled = sum(e["args"].get("elementCount", 0) for e in events if e["name"] == "UpdateLayoutTree")
    placed = sum(e["args"]["beginData"]["dirtyObjects"] for e in events if e["name"] == "Layout" and "beginData" in e["args"])
    return restyled, placed
