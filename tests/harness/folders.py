"""Where a stack keeps its files, and sockets at paths short enough for the kernel."""

import os
import shutil
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_LONGEST_RUN_PATH = 70  # a Unix socket's whole path has at most 107 bytes


def build():
    """The folder of the build under test: USERSHELL_BUILD, else build/dev."""
    return Path(os.environ.get("USERSHELL_BUILD", REPOSITORY / "build" / "dev")).resolve()


class Folder:
    """One stack's folder. `run` is where sockets and pid files lie: inside, or, when that path is
    too long for a socket, in a short folder of its own with a link to it. A temporary folder is
    removed by remove(); a given one stays, only its short folder goes."""

    def __init__(self, path=None):
        self.temporary = path is None
        self.path = Path(path or tempfile.mkdtemp(prefix="usershell-")).resolve()
        self.path.mkdir(parents=True, exist_ok=True)
        self.path.chmod(0o711)  # others may pass (PostgreSQL's and nginx's users), not look
        for name in ("log", "tls"):
            self.sub(name).mkdir(exist_ok=True)
        self._short = None
        self.run = self._make_run()

    def sub(self, *names):
        return self.path.joinpath(*names)

    def log(self, name):
        return self.sub("log", f"{name}.log")

    def _make_run(self):
        inside = self.sub("run")
        if inside.is_symlink():  # left by a stack that was killed
            shutil.rmtree(inside.resolve(), ignore_errors=True)
            inside.unlink()
        if len(str(inside)) <= _LONGEST_RUN_PATH:
            inside.mkdir(exist_ok=True)
            return inside
        self._short = Path(tempfile.mkdtemp(prefix="usershell-", dir="/tmp"))
        self._short.chmod(0o711)
        inside.symlink_to(self._short)
        return self._short

    def remove(self):
        if self._short:
            shutil.rmtree(self._short, ignore_errors=True)
        if self.temporary:
            shutil.rmtree(self.path, ignore_errors=True)
