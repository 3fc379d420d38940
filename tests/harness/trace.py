"""How long the tasks of a page's main thread took, by Chromium's own tracing."""

import json
import math

import trio
import trio_websocket

_LARGEST = 256 * 1024 * 1024
_CATEGORIES = ["disabled-by-default-devtools.timeline", "__metadata"]


def _main_threads(events):
    named = (e for e in events if e["name"] == "thread_name")
    return {(e["pid"], e["tid"]) for e in named if e["args"]["name"] == "CrRendererMain"}


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


def tasks_during(browser, action):
    """Milliseconds of processor time of every task that pages' main threads ran during action(),
    longest first. Processor time, because on a busy machine a task also waits for its turn."""
    events = trio.run(_events, browser.tracing_address, action)
    threads = _main_threads(events)
    tasks = [
        e["tdur"] / 1000
        for e in events
        if e["name"] == "RunTask" and (e["pid"], e["tid"]) in threads and "tdur" in e
    ]
    return sorted(tasks, key=lambda milliseconds: -milliseconds) or [math.inf]
