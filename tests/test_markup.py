"""An HTML text is read by one reader, whether it comes as a mail or is pasted into a box, and costs as much as it is long."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wteaw.orders.mail_text import MOST, read_letter
from wteaw.orders.markup import without_markup

WORDS = [
    ("<p>Hello,</p><p>dig</p>\n<p>dig\nthe well</p>", ["Hello,", "dig", "dig the well"]),
    (
        "<html><head><title>no</title><style>p {}</style></head><body>dig<br>fly<br/></body></html>",
        ["dig", "fly"],
    ),
    ("<div>dig</div><script>fly</script><pre>dig\n  fly</pre>", ["dig", "dig", "fly"]),
    ("<p>dig &amp; fly &rarr; home</p>", ["dig & fly \u2192 home"]),
    ("<table><tr><td>dig</td><td> twice</td></tr><tr><td>fly</td></tr></table>", ["dig twice", "fly"]),
    ("<p>dig</p><blockquote>fly<blockquote>swim</blockquote></blockquote>", ["dig", "> fly", "> > swim"]),
    ("<p>dig<!-- <p>fly</p> --></p><?php swim ?>", ["dig"]),
    ("<p>dig</b></i></p></div></blockquote><p>fly", ["dig", "fly"]),
]


@pytest.mark.parametrize(("text", "lines"), WORDS)
def test_what_a_person_reads_is_read(text: str, lines: list[str]) -> None:
    assert without_markup(text).split("\n") == lines
    letter = read_letter(text)
    assert letter.markup
    assert [(line.text.strip(), line.quoted) for line in letter.lines] == [
        (w.lstrip("> "), w.startswith(">")) for w in lines
    ]


COSTLY = (
    "<a ",
    "<p a='",
    "<!--",
    "<blockquote>a",
    "<blockquote>",
    "<br>",
    "&#",
    "<![",
    "<div>a",
    "<b><i>a",
    "<",
    "<table><tr><td>a",
)


def test_a_text_costs_as_much_as_it_is_long() -> None:
    """The longest text that is read, of marks that never end: in a process that has ten seconds for them all, and little memory."""
    code = f"""
import re, resource
from pathlib import Path
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
from wteaw.orders.mail_text import read_letter
for piece in {COSTLY!r}:
    letter = read_letter("<p>" + piece * ({MOST} // len(piece)))
    assert sum(len(line.text) for line in letter.lines) < 10 * {MOST}, piece
status = Path("/proc/self/status")  # not `ru_maxrss`, which begins with what the process had before it became this one
most = re.search(r"VmHWM:\\s+([0-9]+) kB", status.read_text()) if status.is_file() else None
assert most is None or int(most[1]) < 400_000
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
