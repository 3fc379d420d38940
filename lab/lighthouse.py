"""Lighthouse (npm) about the pages that people see first, as on a phone and on a desk:

    ./dev lighthouse

Prints every score. Ends with 1 when accessibility, best practices or search is below 100; performance hangs on the
machine that measures, and is told only.
"""

import json
import sys
import tempfile

from harness.browser import Browser
from harness.processes import run
from harness.scenes import PLAYGROUND, PROFILE, ROUTE, SECURITY, account, provider
from harness.npm import install
from harness.stack import Stack

LIGHTHOUSE = "lighthouse@12"
PAGES = {
    "sign-in": "/auth/login", "providers": ROUTE, "playground": PLAYGROUND, "profile": PROFILE, "security": SECURITY
}
FORMS = {"phone": [], "desk": ["--preset=desktop"]}
ALWAYS = ("accessibility", "best-practices", "seo")


def audited(program, browser, url, words):
    """Lighthouse's report; it looks by the very browser, with its session."""
    port = browser.tracing_address.split(":")[2].split("/")[0]
    quiet = ["--quiet", "--output=json", "--disable-storage-reset"]
    return json.loads(run([program, url, f"--port={port}", *quiet, *words]))


def failures(report, category):
    """The audits that cost points there."""
    named = (ref["id"] for ref in report["categories"][category]["auditRefs"] if ref["weight"])
    return [name for name in named if report["audits"][name]["score"] not in (1, None)]


def rated(report):
    """The line of a report, and whether it is as it must be."""
    scores = {name: round(100 * each["score"]) for name, each in report["categories"].items()}
    lacking = [audit for name, score in scores.items() if score < 100 for audit in failures(report, name)]
    line = "  ".join([*(f"{name} {score}" for name, score in scores.items()), *lacking])
    return line, all(scores[name] == 100 for name in ALWAYS)


def main():
    good = True
    with tempfile.TemporaryDirectory(prefix="usershell-lighthouse-") as folder:
        install(folder, LIGHTHOUSE)
        with Stack(manage=2, execute=2, mail=True) as stack:
            client = stack.newcomer()
            for number in range(7):
                each = provider(client, f"{stack.stub.url}/v1", name=f"Provider {number}")
                account(client, each, "sk-account-0123456789", name="one")
            browser = Browser(stack.certificate)
            try:
                for page, path in PAGES.items():
                    browser.become(client if path.startswith("/user") else None)
                    for form, words in FORMS.items():
                        program = f"{folder}/node_modules/.bin/lighthouse"
                        line, well = rated(audited(program, browser, f"{stack.base_url}{path}", words))
                        print(f"{page:10} {form:6} {line}", flush=True)
                        good = good and well
            finally:
                browser.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
