"""How much work a page's main thread did, by Chromium's own tracing."""

import json

import trio
import trio_websocket

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
