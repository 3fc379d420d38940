#!/usr/bin/python3
"""A stand-in for AI providers, on loopback unless told otherwise: OpenAI, Anthropic, Gemini, Azure and Ollama chat and
model lists, and six search services. Start it from the folder above:

    python3 -m provider_stub [--host ADDRESS] [--port N] [--tls-port N] [--tls-cert FILE --tls-key FILE]

Port 0 takes a free one. One line of JSON says where it listens once it does. behaviours.py tells
what the first segment of a path can ask for; a key that contains `refused`, `forbidden`,
`limited-SECONDS` (up to 9999), `limited` or `broke` is answered so. GET
/_journal?path=&marker=&key= tells what was asked (journal.py); POST /_script makes it say one thing
to everybody (scripted.py).
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


def _self_signed(folder):
    """A certificate that nobody trusts, for a name that is not ours."""
    key, certificate = Path(folder, "key.pem"), Path(folder, "certificate.pem")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=stub.invalid"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    return certificate, key


def _tls_context(options):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = options.tls_cert, options.tls_key
        if certificate is None:
            certificate, key = _self_signed(folder)
        context.load_cert_chain(certificate, key)
    return context


def _options():
    parser = argparse.ArgumentParser(prog="provider_stub", description="AI provider stand-in")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls-port", type=int, help="a second listener with TLS")
    parser.add_argument("--tls-cert", help="its certificate; self-signed when left out")
    parser.add_argument("--tls-key")
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
        facts["tls_port"] = await listen(options.tls_port, _tls_context(options))
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    print(json.dumps(facts), flush=True)
    await stop.wait()


if __name__ == "__main__":
    asyncio.run(_main(_options()))
