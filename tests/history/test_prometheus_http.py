"""Prometheus and compatible servers over HTTP: a server on loopback that misbehaves, and the real ones."""

from __future__ import annotations

import json
import math
import shutil
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from flink_flint.calculators.history.samples import Bad, Batch, SeriesKey
from flink_flint.calculators.history.sources import exposition
from flink_flint.calculators.history.sources.prometheus import victoriametrics_export
from flink_flint.calculators.history.sources.prometheus.http import Access, Client, Portion, fetch, moment, portions
from flink_flint.calculators.history.sources.prometheus.labels import key_of
from flink_flint.calculators.history.sources.recognition import Options

from .prometheus_server import Fault, Handler, Series, Server, serving

START = moment("2026-11-19T22:00:00Z")
END = moment("2026-11-20T02:00:00Z")
NAMES = ("flink_jobmanager_numRunningJobs", "flink_taskmanager_job_task_busyTimeMsPerSecond")

Samples = dict[SeriesKey, list[tuple[int, float]]]


def series(start: int = START, end: int = END, every: int = 15_000) -> Series:
    """A gauge of a JobManager, and four subtasks of which one pauses and one ends early."""
    times = range(start + 630, end, every)
    hour = 3_600_000
    told: Series = {
        (("__name__", NAMES[0]), ("job", "flink")): [(time, float(n % 7)) for n, time in enumerate(times)],
        (("__name__", "go_goroutines"), ("job", "prometheus")): [(time, 1.0) for time in times],
    }
    for subtask in range(4):
        labels = (("__name__", NAMES[1]), ("job_id", "a" * 32), ("job_name", "orders"), ("subtask_index", str(subtask)))
        told[labels] = [
            (time, (time * (subtask + 1)) % 1000 / 7)
            for time in times
            if not (subtask == 1 and start + hour <= time < start + 2 * hour)
            and not (subtask == 2 and time >= start + 3 * hour)
        ]
    return told


SERIES = series()


def expected(series: Series, start: int = START, end: int = END) -> Samples:
    found: Samples = {}
    for labels, rows in series.items():
        key = key_of(dict(labels), Options())
        if key and (kept := [(time, value) for time, value in rows if start <= time < end]):
            found[key] = kept
    return found


def fetched(access: Access, start: int = START, end: int = END, most: int = 25) -> tuple[Samples, list[Bad]]:
    return gathered(access, portions(access, start, end, most))


def gathered(access: Access, work: list[Portion]) -> tuple[Samples, list[Bad]]:
    samples: Samples = {}
    bad: list[Bad] = []
    for portion in work:
        for batch in fetch(access, portion, Options()):
            for place, at, value in zip(batch.index, batch.times, batch.values, strict=True):
                samples.setdefault(batch.keys[place], []).append((int(at), float(value)))
            bad += batch.bad
    return samples, bad


def quick(server: Server, **said: Any) -> Access:
    return Access(server.url, wait=0.01)._replace(**said)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("TOKEN", "USER", "PASSWORD"):
        monkeypatch.delenv(f"FLINT_PROMETHEUS_{name}", raising=False)
    monkeypatch.setenv("no_proxy", "*")
    with serving(SERIES) as found:
        yield found


# What is asked and what comes.


@pytest.mark.parametrize("closed", [True, False])
def test_every_raw_sample_comes_once_whichever_ends_a_range_has(server: Server, closed: bool) -> None:
    server.closed = closed
    samples, bad = fetched(quick(server))
    assert samples == expected(SERIES)
    assert bad == []
    assert set(server.paths()) == {"/api/v1/label/__name__/values", "/api/v1/query"}


@pytest.mark.parametrize("closed", [True, False])
def test_samples_on_the_border_of_days_and_spans_come_once(server: Server, closed: bool) -> None:
    server.closed = closed
    rows = [(START + n * 600_000 + off, float(n)) for n in range(25) for off in (-1, 0)]
    server.series = {(("__name__", NAMES[0]),): rows}
    samples, _ = fetched(quick(server))
    assert list(samples.values()) == [rows[1:-1]]


def test_work_is_shared_out_by_days_and_metrics(server: Server) -> None:
    midnight = moment("2026-11-20")
    assert portions(quick(server), START, END, most=1) == [
        Portion((name,), start, end) for start, end in ((START, midnight), (midnight, END)) for name in NAMES
    ]


def test_a_selector_and_the_names_go_into_every_question(server: Server) -> None:
    access = quick(server, selector='{subtask_index=~"0|3"}', metrics="flink_taskmanager_.+")
    samples, _ = fetched(access)
    assert sorted(key.subtask for key in samples) == [0, 3]
    (match,) = server.asked[0].parameters["match[]"]
    assert match == '{__name__=~"flink_taskmanager_.+",subtask_index=~"0|3"}'
    assert all('subtask_index=~"0|3"' in one.parameters["query"][0] for one in server.asked[1:])


def test_a_prefix_a_tenant_and_parameters_go_with_every_request(server: Server) -> None:
    access = quick(server, tenant="team-a", dedup="true", partial_response="false")
    samples, _ = fetched(access._replace(url=f"{server.url}/prefix/?extra_label=a"))
    assert samples == expected(SERIES)
    for one in server.asked:
        assert one.path.startswith("/prefix/api/v1/")
        assert one.headers["X-Scope-OrgID"] == "team-a"
        told = [one.parameters[name] for name in ("dedup", "partial_response", "extra_label")]
        assert told == [["true"], ["false"], ["a"]]


def test_a_long_question_is_posted(server: Server) -> None:
    names = tuple(f"{NAMES[1]}{'_longer' * 8}_{n}" for n in range(60))
    server.series = {(("__name__", name),): [(START, 1.0)] for name in names}
    samples, _ = fetched(quick(server), most=60)
    assert len(samples) == 60
    assert {one.method for one in server.asked if one.path == "/api/v1/query"} == {"POST"}


def test_warnings_are_kept_once_a_portion(server: Server) -> None:
    server.warnings = ("store 10.0.0.1 is gone",)
    samples, bad = gathered(quick(server), [Portion(NAMES, START, END)])
    assert samples == expected(SERIES)
    assert [(one.where, one.reason, one.text) for one in bad] == [
        (server.url, "the server warned", "store 10.0.0.1 is gone")
    ]


def test_a_server_without_flink_is_told_so(server: Server) -> None:
    server.series = {(("__name__", "up"),): [(START, 1.0)]}
    with pytest.raises(ValueError, match=r"no metric flink_\.\+ .*2026-11-19 22:00.*reporter"):
        portions(quick(server), START, END)


# Too much at once.


@pytest.mark.slow
@pytest.mark.parametrize("status", [422, 413, 503])
def test_a_question_that_is_too_much_is_split_until_it_is_not(server: Server, status: int) -> None:
    server.most_samples, server.over = 60, status
    samples, bad = fetched(quick(server))
    assert samples == expected(SERIES)
    assert bad == []


def test_metrics_are_split_where_time_is_not_the_matter(server: Server) -> None:
    def one_metric(handler: Handler) -> bool:
        wide = "|" in handler.parameters.get("query", [""])[0]
        return wide and handler.fail(422, "the query hit the maximum number of series limit")

    server.always = one_metric
    samples, _ = fetched(quick(server))
    assert {key: sorted(rows) for key, rows in samples.items()} == expected(SERIES)


def test_what_is_too_much_however_small_is_told(server: Server) -> None:
    server.most_samples = 0
    with pytest.raises(
        ValueError, match=rf"{server.url}: \w+ is too much for it, even for 30 s at a time: status 422: query"
    ):
        fetched(quick(server))


def test_a_list_of_names_that_is_too_much_is_asked_by_halves(server: Server) -> None:
    def short(handler: Handler) -> bool:
        start, end = (float(handler.parameters[name][0]) for name in ("start", "end"))
        return end - start > 3 * 86_400 and handler.fail(422, "the label names query time range exceeds the limit")

    server.always = lambda handler: "match[]" in handler.parameters and short(handler)
    start = END - 14 * 86_400_000
    assert {name for portion in portions(quick(server), start, END) for name in portion.metrics} == set(NAMES)


# Where raw samples are refused.


def refuses_raw(handler: Handler) -> bool:
    return handler.path.startswith("/api/v1/query?") and handler.fail(400, "range vectors are not supported")


def test_a_server_that_refuses_raw_samples_is_asked_by_steps_and_nothing_is_repeated(server: Server) -> None:
    server.always = refuses_raw
    samples, bad = fetched(quick(server, step=60))
    assert [one.text for one in bad] == [
        "raw samples are refused (status 400: range vectors are not supported); evaluated every 60 s"
    ] * 2
    raw = expected(SERIES)
    assert samples.keys() == raw.keys()
    for key, rows in samples.items():
        for at, value in rows:
            assert at % 60_000 == 0
            assert value in [v for t, v in raw[key] if at - 60_000 < t <= at]
    (paused,) = (rows for key, rows in samples.items() if key.subtask == 1)
    assert not [at for at, _ in paused if START + 3_660_000 < at < START + 7_200_000]


def test_steps_stay_below_the_points_a_server_allows(server: Server) -> None:
    server.always = refuses_raw
    server.series = {(("__name__", NAMES[0]),): [(START + n * 60_000, float(n)) for n in range(0, 240)]}
    samples, _ = gathered(quick(server, step=1), [Portion(NAMES[:1], START, END)])
    (rows,) = samples.values()
    assert [value for _, value in rows if value] == [float(n) for n in range(1, 240)]
    for one in server.asked:
        if one.path == "/api/v1/query_range":
            assert float(one.parameters["end"][0]) - float(one.parameters["start"][0]) <= 11_000


def test_a_question_that_is_refused_either_way_is_told(server: Server) -> None:
    def parse_error(handler: Handler) -> bool:
        return "query" in handler.parameters and handler.fail(400, "1:4: parse error: unexpected character")

    server.always = parse_error
    with pytest.raises(ValueError, match="refuses the query: status 400: 1:4: parse error"):
        fetched(quick(server))


# Temporary and permanent errors.


def cut_off(handler: Handler) -> bool:
    return handler.answer(200, b'{"status":"success","data":' + b" " * 300, "application/json", cut=100)


def gone(handler: Handler) -> bool:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True
    return True


def partial(handler: Handler) -> bool:
    body = json.dumps(
        {"status": "success", "data": {"result": [{"metric": {"__name__": NAMES[0]}, "values": [[1, "2"]]}]}}
    )
    return handler.answer(200, body[:-20].encode(), "application/json")


def partial_with_a_right_end(handler: Handler) -> bool:
    return handler.answer(200, b'{"status":"success","data":{"result":[{"metric":{}', "application/json")


def cut_gzip(handler: Handler) -> bool:
    return handler.answer(200, b'{"data":{"result":[' + bytes(range(256)) * 9, "application/json", cut=40)


def slow(handler: Handler) -> bool:
    time.sleep(1.5)
    return handler.answer(200, b"{}", "application/json")


def busy(status: int) -> Fault:
    return lambda handler: handler.fail(status, "come again")


def bare(status: int) -> Fault:
    return lambda handler: handler.answer(status, b"<html>Bad Gateway</html>", "text/html")


@pytest.mark.parametrize(
    "fault",
    [
        cut_off, gone, partial, partial_with_a_right_end, cut_gzip, slow,
        busy(503), busy(429), busy(500), bare(502), bare(504), bare(503),
    ],
    ids=lambda fault: getattr(fault, "__name__", "status"),
)  # fmt: skip
def test_trouble_that_passes_costs_no_sample_and_doubles_none(server: Server, fault: Fault) -> None:
    access = quick(server, timeout=1.0)
    work = portions(access, START, END)
    server.faults = [fault, lambda _: False, fault]
    samples, bad = gathered(access, work)
    assert samples == expected(SERIES)
    assert bad == []
    assert server.faults == []


@pytest.mark.slow
@pytest.mark.parametrize("dated", [False, True])
def test_the_server_says_when_to_come_again(server: Server, dated: bool) -> None:
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True) if dated else "1"
    server.faults = [lambda handler: handler.fail(429, "slow down", {"Retry-After": when})]
    assert Client(quick(server)).names(START, END) == list(NAMES)
    first, second = (one.at for one in server.asked)
    assert second - first >= 0.9


def test_tries_are_bounded_and_the_last_trouble_is_told(server: Server) -> None:
    server.always = busy(503)
    with pytest.raises(ValueError, match=rf"{server.url}/api/v1/label.*no response after 3 attempts.*503: come again"):
        portions(quick(server, tries=3), START, END)
    assert len(server.asked) == 3


def test_a_slow_server_is_asked_for_less_before_it_is_given_up(server: Server) -> None:
    def slow_if_much(handler: Handler) -> bool:
        query = handler.parameters.get("query", [""])[0]
        much = "[" in query and int("".join(filter(str.isdigit, query.rpartition("[")[2]))) > 300
        return much and slow(handler)

    server.always = slow_if_much
    samples, _ = gathered(quick(server, timeout=0.5), [Portion(NAMES, START, START + 600_000)])
    assert samples == expected(SERIES, START, START + 600_000)


def test_nobody_at_the_address_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ValueError, match=rf"127\.0\.0\.1:{port}/api.*no response after 2 attempts.*refused"):
        portions(Access(f"http://127.0.0.1:{port}", tries=2, wait=0.01), START, END)


def test_a_login_page_is_no_answer(server: Server) -> None:
    server.always = lambda handler: handler.answer(200, b"<html>Sign in</html>", "text/html")
    with pytest.raises(ValueError, match="login page"):
        portions(quick(server), START, END)
    assert len(server.asked) == 1


def test_a_missing_prefix_is_guessed(server: Server) -> None:
    with pytest.raises(ValueError, match=r"status 404.*path before /api/v1"):
        portions(quick(server, url=f"{server.url}/elsewhere"), START, END)


def test_a_redirect_is_not_followed_with_the_credentials(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLINT_PROMETHEUS_TOKEN", "s3cret")
    with serving({}) as other:
        server.always = lambda handler: handler.answer(302, b"", "text/html", {"Location": f"{other.url}/prom?token=x"})
        with pytest.raises(ValueError, match=rf"redirects to {other.url}/prom: use that address"):
            portions(quick(server), START, END)
        assert other.asked == []


# Who asks.


def asks_for(header: str) -> Fault:
    return lambda handler: handler.headers.get("Authorization") != header and handler.fail(401, "who are you?")


def test_a_token_or_a_user_comes_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.always = asks_for("Basic b3BzOnMzY3JldDrDpA==")
    monkeypatch.setenv("FLINT_PROMETHEUS_USER", "ops")
    monkeypatch.setenv("FLINT_PROMETHEUS_PASSWORD", "s3cret:ä")
    assert fetched(quick(server))[0] == expected(SERIES)
    server.always = asks_for("Bearer t0ken")
    monkeypatch.setenv("FLINT_PROMETHEUS_TOKEN", "t0ken")
    assert fetched(quick(server))[0] == expected(SERIES)


def test_a_token_or_a_password_comes_from_a_file(server: Server, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("t0ken\n")
    (tmp_path / "password").write_text("s3cret\n")
    server.always = asks_for("Bearer t0ken")
    assert fetched(quick(server, token_file=str(tmp_path / "token")))[0] == expected(SERIES)
    server.always = asks_for("Basic b3BzOnMzY3JldA==")
    access = quick(server, user="ops", password_file=str(tmp_path / "password"))
    assert fetched(access)[0] == expected(SERIES)
    with pytest.raises(ValueError, match="gone: cannot be read: No such file"):
        Client(quick(server, token_file=str(tmp_path / "gone")))


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_visitor_is_told_what_to_set_and_no_secret(
    server: Server, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("FLINT_PROMETHEUS_TOKEN", "t0ken")
    server.always = lambda handler: handler.fail(status, f"no: {handler.headers['Authorization']}")
    with pytest.raises(ValueError, match=f"status {status}, access denied: set FLINT_PROMETHEUS_TOKEN") as denied:
        portions(quick(server), START, END)
    assert "t0ken" not in str(denied.value)
    assert len(server.asked) == 1


def test_no_secret_is_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="remove user and password from the address") as told:
        Client(Access("http://ops:s3cret@127.0.0.1:9090"))
    assert "s3cret" not in str(told.value)
    for token in ("s3cret\nX-Evil: 1", "s3crét"):
        monkeypatch.setenv("FLINT_PROMETHEUS_TOKEN", token)
        with pytest.raises(ValueError, match="FLINT_PROMETHEUS_TOKEN: ") as told:
            Client(quick(server))
        assert "s3cr" not in str(told.value)
    monkeypatch.setenv("FLINT_PROMETHEUS_TOKEN", "s3cret")
    access = quick(server, url=f"{server.url}?key=s3cret", tries=1)
    server.always = busy(503)
    with pytest.raises(ValueError, match="no response") as told:
        portions(access, START, END)
    assert "s3cret" not in f"{told.value} {Client(access)!r} {quick(server)!r}"


@pytest.mark.parametrize(
    "url", ["prometheus:9090", "ftp://host", "http://", "http://host:99999", "http://a b/", "", "http://user@:1/"]
)
def test_what_is_no_address_is_told(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        Client(Access(url))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"selector": "namespace=x"}, "is not a selector"),
        ({"dedup": "yes"}, "dedup must be true or false"),
        ({"tenant": "a\nb"}, "tenant"),
        ({"tenant": "müller"}, "tenant"),
    ],
)
def test_wrong_options_are_told(wrong: dict[str, str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Client(Access("http://127.0.0.1:9")._replace(**wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("1795190147", 1795190147000), ("1795190147.63", 1795190147630), ("1795190147630", 1795190147630),
        ("2026-11-20T15:55:47Z", 1795190147000), ("2026-11-20 16:55:47+01:00", 1795190147000),
        ("2026-11-20", 1795132800000), (" 2026-11-20T15:55:47 ", 1795190147000),
    ],
)  # fmt: skip
def test_times_are_read_as_people_write_them(text: str, time: int) -> None:
    assert moment(text) == time


@pytest.mark.parametrize("text", ["", "yesterday", "12", "nan", "inf", "1e300", "2026-13-01"])
def test_what_is_no_time_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        moment(text)


# TLS.


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 and its key, signed by itself."""
    path = tmp_path_factory.mktemp("tls") / "own.pem"
    subprocess.run(
        [tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", path.with_suffix(".key"), "-out", path],
        check=True, capture_output=True,
    )  # fmt: skip
    return path


def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    return context


@pytest.mark.tools
@pytest.mark.usefixtures("server")
def test_a_certificate_is_trusted_if_named_or_if_any_will_do(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(SERIES, tls(certificate)) as secure:
        with pytest.raises(ValueError, match=rf"{secure.url}: its certificate is not trusted .*ca_file"):
            portions(quick(secure), START, END)
        for access in (quick(secure, ca_file=str(certificate)), quick(secure, insecure=True)):
            assert fetched(access)[0] == expected(SERIES)
        # Where OpenSSL finds the system's.
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert fetched(quick(secure))[0] == expected(SERIES)


@pytest.mark.tools
@pytest.mark.usefixtures("server")
def test_a_server_may_ask_for_a_certificate(certificate: Path) -> None:
    context = tls(certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificate)
    with serving(SERIES, context) as secure:
        access = quick(secure, ca_file=str(certificate), tries=2)
        with pytest.raises(ValueError, match="no response after 2 attempts"):
            portions(access, START, END)
        shown = access._replace(certificate=str(certificate), key=str(certificate.with_suffix(".key")))
        assert fetched(shown)[0] == expected(SERIES)


def test_a_file_that_is_no_certificate_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("")
    for name in ("gone.pem", "empty.pem"):
        with pytest.raises(ValueError, match=f"{name}: no certificates that can be used"):
            Client(Access("https://127.0.0.1:9", ca_file=str(tmp_path / name)))


# The real servers, as Debian packages them.


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(command: list[str], url: str, log: Path) -> Iterator[None]:
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(url, timeout=5).close()
                    break
                except (urllib.error.URLError, OSError):
                    assert process.poll() is None, log.read_text()
                    time.sleep(0.1)
            yield
        finally:
            process.terminate()
            process.wait(30)


def tool(name: str) -> str:
    found = shutil.which(name)
    assert found, f"{name} is missing: make tools"
    return found


def forwarded(handler: Handler, url: str) -> bool:
    """Answer what the server at the address answers."""
    request = urllib.request.Request(f"{url}{handler.path}")
    try:
        with urllib.request.urlopen(request) as answer:
            return handler.answer(answer.status, answer.read(), "application/json")
    except urllib.error.HTTPError as error:
        return handler.answer(error.code, error.read(), "application/json")


def openmetrics(series: Series) -> str:
    """The series as OpenMetrics writes them, each metric's lines together."""
    lines = []
    for labels, rows in sorted(series.items()):
        told = dict(labels)
        name = told.pop("__name__")
        inner = ",".join(f'{label}="{value}"' for label, value in told.items())
        lines += [f"{name}{{{inner}}} {value!r} {time / 1000:.3f}" for time, value in rows]
    return "\n".join([*lines, "# EOF\n"])


@pytest.mark.tools
def test_a_real_prometheus_gives_every_sample_however_little_it_allows_at_once(server: Server, tmp_path: Path) -> None:
    now = int(time.time()) * 1000
    start = now - 4 * 3_600_000
    told = series(start, now)
    (tmp_path / "in.txt").write_text(openmetrics(told))
    blocks = [tool("promtool"), "tsdb", "create-blocks-from", "openmetrics", "-q", "in.txt", "data"]
    subprocess.run(blocks, cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "prometheus.yml").write_text("global: {}\n")
    port = free_port()
    command = [
        tool("prometheus"), f"--config.file={tmp_path / 'prometheus.yml'}", f"--storage.tsdb.path={tmp_path / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}", "--query.max-samples=400", "--storage.tsdb.retention.time=10y",
    ]  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    with running(command, f"{url}/-/ready", tmp_path / "log"):
        samples, bad = fetched(Access(url), start, now)
        assert samples == expected(told, start, now)
        assert bad == []
        # A proxy that lets no raw sample through.
        server.always = lambda handler: refuses_raw(handler) or forwarded(handler, url)
        by_steps, _ = gathered(quick(server, step=60), [Portion(NAMES[:1], start, start + 1_800_000)])
        match = '{__name__=~"flink_.%2B"}'
        with urllib.request.urlopen(f"{url}/federate?match[]={match}") as answer:
            (tmp_path / "federate.txt").write_bytes(answer.read())
    federated = read_all(exposition.read(str(tmp_path / "federate.txt"), Options()))
    wanted = expected(told, start, now)
    assert federated == {key: rows[-1:] for key, rows in wanted.items() if rows[-1][0] > now - 60_000}
    (rows,) = by_steps.values()
    (raw,) = (rows for key, rows in wanted.items() if key.metric == "numRunningJobs")
    assert len(rows) >= 29
    assert all(value == [v for t, v in raw if at - 60_000 < t <= at][-1] for at, value in rows)
    dump = subprocess.run(
        [tool("promtool"), "tsdb", "dump", "data"], cwd=tmp_path, check=True, capture_output=True
    ).stdout
    (tmp_path / "dump.txt").write_bytes(dump)
    dumped = read_all(exposition.read(str(tmp_path / "dump.txt"), Options()))
    assert dumped == wanted


@pytest.mark.tools
def test_a_real_victoriametrics_gives_the_same_over_http_and_by_export(tmp_path: Path) -> None:
    now = int(time.time()) * 1000
    start = now - 4 * 3_600_000
    told = series(start, now)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [tool("victoria-metrics"), f"-storageDataPath={tmp_path / 'data'}", f"-httpListenAddr=127.0.0.1:{port}"]
    lines = [
        json.dumps({"metric": dict(labels), "values": [v for _, v in rows], "timestamps": [t for t, _ in rows]})
        for labels, rows in told.items()
    ]
    with running(command, f"{url}/health", tmp_path / "log"):
        urllib.request.urlopen(f"{url}/api/v1/import", "\n".join(lines).encode()).close()
        urllib.request.urlopen(f"{url}/internal/force_flush").close()
        samples, bad = fetched(Access(url), start, now)
        with urllib.request.urlopen(f"{url}/api/v1/export?match[]=%7B__name__=~%22flink_.%2B%22%7D") as answer:
            (tmp_path / "export.jsonl").write_bytes(answer.read())
    exported = read_all(victoriametrics_export.read(str(tmp_path / "export.jsonl"), Options()))
    wanted = expected(told, start, now)
    for found in (samples, exported):
        assert found.keys() == wanted.keys()
        for key, rows in found.items():
            assert [time for time, _ in rows] == [time for time, _ in wanted[key]]
            # It keeps some twelve digits of a value.
            assert all(math.isclose(a, b, rel_tol=1e-9) for (_, a), (_, b) in zip(rows, wanted[key], strict=True))
    assert bad == []


def read_all(batches: Iterator[Batch]) -> Samples:
    samples: Samples = {}
    for batch in batches:
        for place, at, value in zip(batch.index, batch.times, batch.values, strict=True):
            samples.setdefault(batch.keys[place], []).append((int(at), float(value)))
    return samples
