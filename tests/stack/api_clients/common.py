"""The tools that people use, from npm and unmodified, and the address that they call."""

import atexit
import functools
import json
import os
import shutil
import ssl
import tempfile
from pathlib import Path

from harness.processes import finished
from harness.npm import install, skip_without_npm
from harness.scenes import MODEL, access_token, provider
from harness.suite import shared_stack

_HERE = Path(__file__).parent
# Whole versions: of a range npm takes the newest that names this Node.js as its engine.
SDKS = (
    "openai@7.57.0",
    "@anthropic-ai/sdk@1.13.0",
    "ai@7.0.173",
    "@ai-sdk/openai@4.0.118",
    "@ai-sdk/anthropic@4.0.105",
)
AGENTS = ("@openai/codex@0.169.0", "@anthropic-ai/claude-code@2.1.331")
CLAUDE, SLASHED = "stub-large", "vendor/stub-with-slash"
_TIMEOUT = 120  # seconds for a script or an agent


@functools.cache
def _folder():
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)


@functools.cache
def installed(packages):
    """The folder with those packages and the scripts of this one."""
    skip_without_npm()
    folder = _folder() / str(len(packages))
    folder.mkdir()
    install(folder, *packages)
    for script in _HERE.glob("*.mjs"):
        shutil.copy(script, folder)
    return folder


@functools.cache
def stack():
    """The service, and the stand-in as the provider behind it."""
    return shared_stack(settings=[("api", "true")], manage=1, execute=1)


def stub():
    return stack().stub


def trust():
    """For clients in Python: the stack's authority."""
    return ssl.create_default_context(cafile=stack().certificate.ca)


def address(key, behaviour="", **limits):
    """Where a client finds /v1 of a person whose providers behave so, and have that key: its base URL
    without /v1, the person's access token, and the names of a model of OpenAI's protocol and of
    one of Anthropic's."""
    person = stack().newcomer()
    url = "/".join(filter(None, (stub().url, behaviour, "v1")))
    provider(person, url, key, name="open", models=[MODEL, SLASHED])
    provider(person, url, key, "anthropic", "claude", [CLAUDE])
    token = access_token(person, **limits)
    return {"base": stack().base_url, "key": token, "model": f"open/{MODEL}", "claude": f"claude/{CLAUDE}"}


def environment(**more):
    """Of a client: what is ours and no more. Its home is its own."""
    home = tempfile.mkdtemp(dir=_folder())
    authority = str(stack().certificate.ca)
    trust = {"NODE_EXTRA_CA_CERTS": authority, "SSL_CERT_FILE": authority}
    return {"PATH": os.environ["PATH"], "HOME": home, **trust, **more}


def script(name, addresses):
    """What that script found at the addresses: {case: result}."""
    folder = installed(SDKS)
    env = environment(ADDRESSES=json.dumps(addresses))
    done = finished(["node", folder / f"{name}.mjs"], _TIMEOUT, cwd=folder, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def agent(name, *words, env):
    """An agent's run in an empty folder: (its end, that folder)."""
    folder = installed(AGENTS)
    work = Path(tempfile.mkdtemp(dir=_folder()))
    return finished([folder / "node_modules" / ".bin" / name, *words], _TIMEOUT, cwd=work, env=env), work
