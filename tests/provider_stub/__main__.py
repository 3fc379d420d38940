#!/usr/bin/python3
"""A stand-in for AI providers, on loopback unless told otherwise: OpenAI (chat, responses, completions,
embeddings), Anthropic (messages, count_tokens), Gemini, Azure and Ollama, their model lists, and six
search services. Start it from the folder above:

    python3 -m provider_stub [--host ADDRESS] [--port N] [--tls-port N]

Port 0 takes a free one. A line of JSON on standard output has the ports. The first segment of a path
chooses a behaviour (behaviours.py). A key that contains `refused`, `forbidden`, `limited-SECONDS` (up
to 9999), `limited` or `broke` gets that error. A message with `call NAME {JSON}` gets a call of that
tool, if the request has it. GET /_journal?path=&marker=&key= lists the requests, GET /_body?n= has the
bytes of one, GET /_books?key= what was billed (journal.py). POST /_script fixes the answer to all
requests (scripted.py).
"""

import argparse
import asyncio
import json
import signal
import ssl
import subprocess
import tempfile
from pathlib import Path

from .server import Server

_BACKLOG = 4096


def _tls_context():
    """With a self-signed certificate for another name."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=stub.invalid"]
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = Path(folder, "key.pem"), Path(folder, "certificate.pem")
        subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        context.load_cert_chain(certificate, key)
    return context


def _options():
    parser = argparse.ArgumentParser(prog="provider_stub", description="AI provider stand-in")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls-port", type=int, help="a second listener with TLS")
    return parser.parse_args()


async def _main(options):
    server = Server()

    async def listen(port, context=None):
        listener = await asyncio.start_server(
            server.serve_connection, options.host, port, ssl=context, backlog=_BACKLOG
        )
        return listener.sockets[0].getsockname()[1]

    port = await listen(options.port)
    facts = {"url": f"http://{options.host}:{port}", "port": port}
    if options.tls_port is not None:
        facts["tls_port"] = await listen(options.tls_port, _tls_context())
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    print(json.dumps(facts), flush=True)
    await stop.wait()


if __name__ == "__main__":
    asyncio.run(_main(_options()))
