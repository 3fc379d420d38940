"""The book of the attacks: who tried what, and what stopped it. A line is written when an attempt has
failed for that reason, and the table of docs/security.md is made of these lines."""

from harness.folders import REPOSITORY

DOCUMENT = REPOSITORY / "docs" / "security.md"
BEGIN, END = "<!-- attacks: begin -->\n", "<!-- attacks: end -->\n"

MANAGE = "`usershell_manage`"
EXECUTE = "`usershell_execute`"
MAIL = "`usershell_mail`"
SESSION = "a session"
DATABASE = "the database"
BACKUP = "a backup"
EACH = "each of these"  # three programs
THIEVES = (MANAGE, EXECUTE, MAIL, EACH, SESSION, DATABASE, BACKUP)

_lines = []


def stopped(thief, tried, by):
    """That attempt failed, stopped by that."""
    line = (thief, tried, by)
    assert thief in THIEVES and line not in _lines, line
    _lines.append(line)


def table():
    """The lines of all who ran in this process, as Markdown, thief by thief."""
    head = "| Who has | tries to | Stopped by |\n|---|---|---|\n"
    lines = sorted(_lines, key=lambda line: THIEVES.index(line[0]))
    return head + "".join(f"| {thief} | {tried} | {by} |\n" for thief, tried, by in lines)


def written():
    """The table of docs/security.md."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return text.partition(BEGIN)[2].partition(END)[0]


def count():
    return len(_lines)
