"""The book of the attacks: who tried what, and what stopped it; and what each thief can do. A line is written when a
test has shown it. All lines are the report of a run; docs/security.md has those of what each thief can do."""

from harness.folders import REPOSITORY, build

PAGE = REPOSITORY / "docs" / "security.md"
REPORT = build() / "attack" / "report.md"

AUTH = "all that `usershell-auth` has"
MANAGE = "all that `usershell-manage` has"
EXECUTE = "all that `usershell-execute` has"
OPENER = "all that `usershell-opener` has"
MAIL = "all that `usershell-mail` has"
EACH = "each of these five"
SESSION = "a stolen session"
TOKEN = "a stolen access token"
DATABASE = "write access to the database"
BACKUP = "a backup of the database"
STRANGER = "no account at all"
PROVIDER = "a provider that is called"
THIEVES = (AUTH, MANAGE, EXECUTE, OPENER, MAIL, EACH, SESSION, TOKEN, DATABASE, BACKUP, STRANGER, PROVIDER)

_stopped, _can = [], []


def stopped(thief, tried, by):
    """That attempt failed, stopped by that."""
    line = (thief, tried, by)
    assert thief in THIEVES and line not in _stopped, line
    _stopped.append(line)


def can(thief, what):
    """That is possible, and no promise is broken by it."""
    assert thief in THIEVES
    _can.append((thief, what))


def _of(thief, lines):
    """What the lines say of one, in the order in which it ran."""
    return [line[1:] for line in lines if line[0] == thief]


def abilities():
    """A list for each thief."""
    listed = {thief: "".join(f"- {what}\n" for (what,) in _of(thief, _can)) for thief in THIEVES}
    return "\n".join(f"With {thief} a thief can\n\n{lines}" for thief, lines in listed.items() if lines)


def of_page():
    """The lists that the page has between its marks."""
    text = PAGE.read_text(encoding="utf-8")
    return text.partition("<!-- can: begin -->\n")[2].partition("<!-- can: end -->\n")[0]


def report():
    rows = "".join(f"| {thief} | {' | '.join(line)} |\n" for thief in THIEVES for line in _of(thief, _stopped))
    attempts = f"| Who has | tries to | Stopped by |\n|---|---|---|\n{rows}\n{count()} attempts, stopped."
    return f"# What was tried\n\n{attempts}\n\n# What each thief can do\n\n{abilities()}"


def write_report():
    """Returns where it is."""
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(report(), encoding="utf-8")
    return REPORT


def count():
    return len(_stopped)
