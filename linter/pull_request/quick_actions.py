"""Neutralizes GitLab's quick actions in comments.

GitLab executes a line of a comment that begins with ``/close`` or ``/merge`` with the rights of the comment's author.
It detects code blocks with a pattern of three backticks, which a longer fence around text with its own fence escapes
(https://docs.gitlab.com/user/project/quick_actions/). So no line of a comment may begin like a quick action, whatever
surrounds it.
"""

from __future__ import annotations

import re

_ORDER = re.compile(r"[ \t]*/[A-Za-z_]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def without_quick_actions(body: str) -> str:
    """Return `body` with its quick actions neutralized, so that GitLab executes none of them.

    Outside of code the slash becomes its entity and looks the same; in a code block the line gets a leading space. A
    suggestion with such a line would put that space into the file, so its block becomes plain code.
    """
    lines: list[str] = []
    fence, opened = "", 0
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        if not fence:
            if mark and not (mark[1][0] == "`" and "`" in mark[2]):
                fence, opened = mark[1], len(lines)
            elif _ORDER.match(line):
                line = line.replace("/", "&#47;", 1)
        elif mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2].strip():
            fence = ""
        elif _ORDER.match(line):
            lines[opened] = re.sub(r"suggestion(:\S*)?", "text", lines[opened], count=1)
            line = " " + line
        lines.append(line)
    return "\n".join(lines)
