"""Writes the list of common passwords: python3 common_passwords.py FILE.

From the frequency lists of zxcvbn (Debian: python3-zxcvbn): the commonest of ten million breached
passwords, words of English texts, first names and surnames. One a line, sorted.
"""

import sys

from zxcvbn.frequency_lists import FREQUENCY_LISTS

words = {word.casefold() for each in FREQUENCY_LISTS.values() for word in each}
with open(sys.argv[1], "w", encoding="utf-8") as output:
    output.writelines(f"{word}\n" for word in sorted(words))
