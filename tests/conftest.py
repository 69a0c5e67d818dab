"""Shared fixtures, such as `flint`, which runs the command as a user would."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
from collections.abc import Callable, Iterator
from importlib import import_module
from math import ceil
from pathlib import Path

import pytest
from hypothesis import settings

from tests.forked_flint import ForkedFlint

# The same examples in every run, and no time limits, so that failures are reproducible.
settings.register_profile("flint", derandomize=True, deadline=None)
settings.load_profile("flint")

# A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that; tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent

GOLDEN = ROOT / "tests" / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `pytest --update-golden`, which rewrites the golden outputs; review the diff before you commit it."""
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew")
    parser.addoption("--sample", type=int, metavar="N", help="run N of the selected tests, chosen by --sample-seed")
    parser.addoption("--sample-seed", type=int, default=1, metavar="SEED", help="another seed chooses other tests")


@pytest.hookimpl(trylast=True)  # after -m and -k have selected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the sample, in the order of collection, so that fixtures of a module are still built once."""
    number = config.getoption("--sample")
    if number is None or number >= len(items):
        return
    chosen = set(random.Random(config.getoption("--sample-seed")).sample(range(len(items)), number))
    config.hook.pytest_deselected(items=[item for place, item in enumerate(items) if place not in chosen])
    items[:] = [item for place, item in enumerate(items) if place in chosen]


@pytest.hookimpl(optionalhook=True)  # mutants are tested without workers
def pytest_xdist_auto_num_workers() -> int:
    """Start half as many workers again as there are processors: tests wait for the processes that they start."""
    return ceil(len(os.sched_getaffinity(0)) * 1.5)


def pytest_collection(session: pytest.Session) -> None:
    """Collect without the garbage collector; workers divide among them what pytest compiles once for all of them."""
    gc.disable()
    worker = getattr(session.config, "workerinput", None)
    if worker is not None:
        number, step = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
        for path in sorted((ROOT / "tests").rglob("test_*.py"))[number::step]:
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Leave the tests, some 16,000, out of what the garbage collector looks through again and again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep what tests remember of projects out of the user's cache directory, and the user's configuration out."""
    os.environ["FLINT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("configuration"))


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of that name."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if not path.exists():
            tests = request.node.nodeid.partition("::")[0]
            pytest.fail(f"no golden file {name}: run pytest {tests} --update-golden and review it", pytrace=False)
        assert path.read_text(encoding="utf-8") == text

    return compare


Flint = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_make_parametrize_id(config: pytest.Config, val: object) -> str | None:
    """Shorten the name of a test that has a long text as a parameter."""
    if not isinstance(val, (str, bytes)) or len(val) <= 60:
        return None
    start = val[:40] if isinstance(val, str) else val[:40].decode("latin-1")
    return f"{start.encode('unicode_escape').decode('ascii')}... ({len(val)})"


@pytest.fixture(scope="session")
def forked_flint() -> Iterator[ForkedFlint]:
    forked = ForkedFlint()
    yield forked
    forked.close()


@pytest.fixture
def flint(tmp_path: Path, forked_flint: ForkedFlint) -> Flint:
    """Run `flint` with arguments in an empty folder; output is text, colors are off."""

    def run(
        *arguments: str | Path, stdin: str | bytes | None = None, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        unwanted = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "GITHUB_ACTIONS", "GITHUB_WORKSPACE", "CI_PROJECT_DIR")
        inherited = {k: v for k, v in os.environ.items() if k not in unwanted}
        data = stdin.encode() if isinstance(stdin, str) else stdin or b""
        done = forked_flint.run(
            [*map(str, arguments)], data, cwd or tmp_path, {**inherited, "PYTHONPATH": str(ROOT), **environment}
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        )

    return run
