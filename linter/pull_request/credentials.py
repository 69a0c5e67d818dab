"""What a token and an address must be like, before a client is given them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit


def check_token(token: str, forge: str) -> None:
    """Raises ValueError for what cannot be a header: clients show that in their errors."""
    if not re.fullmatch(r"[!-~]+", token):
        raise ValueError(f"the token for {forge} holds blanks or characters that no token has")


def is_address(url: str) -> bool:
    """Whether it is one of a server, without a user or a password."""
    split = urlsplit(url)
    return split.scheme in ("http", "https") and bool(split.hostname) and split.username is None
