"""What a program has in its memory, as root sees it."""

from pathlib import Path

_PIECE = 1 << 20


def memory_of(pid):
    """The pieces of all that the process can write to."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text(encoding="ascii").splitlines():
            places, rights, *_, name = line.split(maxsplit=5) if line.count(" ") > 4 else (*line.split(), "")
            if "w" not in rights or name.strip() in ("[vvar]", "[vsyscall]"):
                continue
            begin, end = (int(place, 16) for place in places.split("-"))
            for start in range(begin, end, _PIECE):
                memory.seek(start)
                try:  # with the begin of the next piece
                    yield memory.read(min(_PIECE + 256, end - start))
                except OSError:  # a guard page, or what ends meanwhile
                    continue


def copies(pids, secrets):
    """How often each is in the memory of one of these processes."""
    counts = dict.fromkeys(secrets, 0)
    for pid in pids:
        for piece in memory_of(pid):
            for name, secret in secrets.items():
                counts[name] += piece.count(secret)
    return counts
