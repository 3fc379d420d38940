"""The stub's server: accepts, records, lets the chosen behaviour answer, notices who left."""

import asyncio
import re

from . import behaviours, hostile, scripted
from .exchange import Exchange
from .journal import Journal
from .wire import Connection, PeerGone

_JOURNAL = "/_journal"
_BODY = "/_body"
_BOOKS = "/_books"
_SCRIPT = "/_script"
REGISTERED = (hostile,)  # importing it fills the table of behaviours


def _key_fault(key):
    """(kind, message, headers) of the refusal that a key's own text asks for, else None."""
    if "refused" in key:
        return "refused", f"Incorrect API key provided: {key}.", []
    if "forbidden" in key:
        return "forbidden", "This key may not be used for that.", []
    if limited := re.search(r"limited(?:-(\d{1,4})\b)?", key):
        wait = [("Retry-After", limited[1])] if limited[1] else []
        return "limited", "Rate limit reached.", wait
    if "broke" in key:
        return "broke", "Your credit balance is too low. Insufficient credit or quota.", []
    return None


class Server:
    def __init__(self):
        self.journal = Journal()
        self._script = {}

    async def serve_connection(self, reader, writer):
        """One accepted connection, until either side is done with it."""
        connection = Connection(reader, writer)
        try:
            while await self._serve_request(connection, await connection.next_request()):
                pass
        except (PeerGone, ValueError):
            pass  # nobody there, or nobody who speaks HTTP
        finally:
            await connection.close()

    async def _serve_request(self, connection, request):
        if request.path == _JOURNAL:
            asked = {name: request.query.get(name, "") for name in ("path", "marker", "key")}
            await connection.answer(200, self.journal.select(**asked))
            return True
        if request.path == _BODY:
            body = self.journal.body(int(request.query["n"]))
            await connection.answer(200, body, "application/octet-stream")
            return True
        if request.path == _BOOKS:
            await connection.answer(200, self.journal.books(request.query.get("key", "")))
            return True
        if request.path == _SCRIPT:
            self._script = request.json()
            await connection.answer(200, {})
            return True
        entry = self.journal.open(request)
        work = asyncio.create_task(self._answer(connection, request, entry))
        gone = asyncio.create_task(connection.gone.wait())
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            return await self._settle(work, entry, request)
        finally:
            gone.cancel()

    async def _settle(self, work, entry, request):
        """Ends the entry by whoever ended the exchange; False when the connection must go."""
        if not work.done():
            self.journal.close(entry, "peer")
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            return False
        try:
            more = work.result()
        except PeerGone:
            self.journal.close(entry, "peer")
            return False
        self.journal.close(entry, "us")
        return bool(more) and request.headers.get("connection", "").lower() != "close"

    async def _answer(self, connection, request, entry):
        run, number, path = behaviours.choose(request.path)
        exchange = Exchange(connection, request, path, entry)
        if self._script:
            return await scripted.say(exchange, self._script)
        if fault := _key_fault(entry.key):
            kind, message, headers = fault
            return await exchange.send_fault(kind, message, headers=headers)
        if not exchange.known:
            return await exchange.send_fault("unknown", f"The stub knows no {path}.", 404)
        if exchange.chat and exchange.chat.lacks:
            return await exchange.send_fault("lacks", f"Missing required parameter: '{exchange.chat.lacks}'.")
        return await run(exchange, number)
