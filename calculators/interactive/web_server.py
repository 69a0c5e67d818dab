"""The web server of `flint size --web`, which serves the form to a browser on this machine."""

from __future__ import annotations

import ipaddress
import logging
import os
import shlex
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler
from textual_serve.server import Server

from flink_flint.calculators.command_line.open_configuration import open_configuration

_PAGE = Path(__file__).parent / "page"


def run_web(name: str | None, host: str, port: int, config: str | None, flink_version: str | None) -> int:
    """Serve the form until interrupted, and return the exit status.

    Each browser window gets its own form. `port` 0 selects a free port. Raises ValueError for a host other than the
    loopback address (everyone who can reach the form can write files), for a port that is not available and for a
    configuration that cannot be read.
    """
    address = _loopback(host)
    if config is not None:
        open_configuration(config, flink_version=flink_version)  # raises ValueError now instead of in each window
    taken = _listen(address, port)
    served = _Served(shlex.join(command(name, config, flink_version)), address, taken.getsockname()[1])
    served.run(taken)
    return 0


def command(name: str | None, config: str | None, flink_version: str | None) -> Sequence[str]:
    """Return the command that runs the form for one browser window."""
    words = [sys.executable, "-m", "flink_flint.calculators.interactive"]
    words += ["--calculator", name] if name is not None else []
    words += ["--config", os.path.abspath(config)] if config is not None else []
    words += ["--flink-version", flink_version] if flink_version is not None else []
    return words


def _loopback(host: str) -> str:
    if host == "localhost":
        return "127.0.0.1"
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise ValueError(f"--host {host}: the form is only served on this machine (127.0.0.1, ::1 or localhost)")
    return str(address)


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address, port))
        listening.listen()  # before the address is printed, so that connections to it are accepted
    except OSError as error:
        listening.close()
        raise ValueError(f"--port {port}: {(error.strerror or str(error)).lower()}; choose another") from None
    return listening


class _Served(Server):
    """A textual-serve server whose page loads nothing from other sites and which refuses requests from other pages."""

    def __init__(self, command: str, address: str, port: int) -> None:
        self._authority = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        super().__init__(
            command, address, port, title="flint size", public_url=f"http://{self._authority}", templates_path=_PAGE
        )

    def initialize_logging(self) -> None:
        """Log errors only."""
        logging.basicConfig(level="WARNING", format="%(message)s")

    async def on_startup(self, app: web.Application) -> None:
        """Print the address of the form."""
        print(f"flint size: {self.public_url}/ (press ctrl+c to stop)", flush=True)

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._own_pages_alone)
        return app

    @web.middleware
    async def _own_pages_alone(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests from pages of other sites, since any page can open a socket and a form can write files."""
        names = {self._authority, f"localhost:{self.port}"}
        origin = request.headers.get("Origin")
        if request.host not in names or (origin is not None and origin not in {f"http://{name}" for name in names}):
            raise web.HTTPForbidden(text="flint size only accepts requests from its own page\n")
        return await handler(request)

    def run(self, listening: socket.socket) -> None:
        """Serve on a socket until SIGINT or SIGTERM."""
        self.initialize_logging()
        web.run_app(self._make_app(), sock=listening, print=None, access_log=None, shutdown_timeout=1.0)
