"""The mail of the development stack, for the terminal."""

import email.utils

from .servers.mail import stored_messages


def _line(number, message):
    when = email.utils.parsedate_to_datetime(message["Date"]).astimezone()
    return f"{number:>4}  {when:%Y-%m-%d %H:%M:%S}  {message['X-RcptTo']}  {message['Subject']}"


def _whole(message):
    heads = "".join(f"{name}: {message[name]}\n" for name in ("From", "To", "Date", "Subject"))
    return f"{heads}\n{message.get_body(('plain',)).get_content()}"


def inbox_text(folder, number=None):
    """The list, then the newest message; or only the message of that number. In a terminal nothing
    but text: control characters are shown as '?'."""
    messages = list(stored_messages(folder))
    if number is not None:
        if not 1 <= number <= len(messages):
            return f"There is no message {number}.\n"
        text = _whole(messages[number - 1])
    elif messages:
        lines = [_line(number, message) for number, message in enumerate(messages, 1)]
        text = "\n".join(lines) + f"\n\n{_whole(messages[-1])}"
    else:
        text = "No mail yet.\n"
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)
