"""No output of any command shows a secret, whatever its file and line; and other texts are not hidden."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from flink_flint.linter.engine.baseline import entry_of, spell
from flink_flint.linter.engine.check_run import Report, check
from flink_flint.linter.engine.discovery import Source
from flink_flint.linter.engine.run_options import Options
from flink_flint.linter.fix.apply import fix
from flink_flint.linter.fix.unified_diff import unified_diff
from flink_flint.linter.flink.secret_places import secret_spans
from flink_flint.linter.flink.secrets import HIDDEN, is_secret, may_be_secret
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.document import Document
from flink_flint.linter.model.safe_text import NeutralStream, key_without_secrets, neutral, neutral_line
from flink_flint.linter.output import FORMATS, Context, report_format
from tests.conftest import Flint
from tests.fix_edits import checked
from tests.formats.test_robustness import SAMPLES, sample_carrier
from tests.planting import FORMS, LITERALS, Planted, literal, planted
from tests.rules.observed_store import write_store

EVERY = Options(select=("ALL",))


def source_of(name: str, text: str) -> Source:
    found = file_format_of(name, text, trust_name=True)
    assert found is not None, name
    return Source(name, text.encode("utf-8", "surrogateescape"), found)


def outputs(report: Report) -> Iterator[tuple[str, str]]:
    """Yield a report in each format, as a baseline, and as the input of a comment."""
    for name in FORMATS:
        yield name, "".join(report_format(name).render(report, Context(width=300)))
    yield "baseline", spell([entry_of(finding, finding.path) for finding in report.findings]).decode()


def assert_hidden(sources: list[Source], secrets: Planted) -> None:
    told = list(outputs(checked(sources, EVERY)))
    for form, secret in secrets.secrets:
        shown = [name for name, text in told if secret in text]
        assert shown == [], f"{sources[0].path}: {form} in {shown}"


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_no_format_shows_what_is_planted_into_files_of_any_kind(name: str) -> None:
    file_format = sample_carrier(name)
    documents = file_format.read(name, SAMPLES[name].encode("utf-8", "surrogateescape"))
    whole = documents[0].with_content(documents[0].text, _content(documents))
    for first in range(0, len(FORMS), 6):
        made = planted(whole, first)
        if made.secrets:
            data = made.text.encode("utf-8", "surrogateescape")
            assert_hidden([Source(name, data, file_format)], made)


def _content(documents: list[Document]):  # type: ignore[no-untyped-def]
    from flink_flint.linter.flink.parsed_file import ConfigurationFile

    content = ConfigurationFile()
    content.entries = [entry for document in documents for entry in document.entries]
    return content


def test_planting_reaches_most_samples() -> None:
    reached = 0
    for name in SAMPLES:
        documents = sample_carrier(name).read(name, SAMPLES[name].encode("utf-8", "surrogateescape"))
        reached += bool(planted(documents[0].with_content(documents[0].text, _content(documents)), 0).secrets)
    assert reached > len(SAMPLES) * 2 // 3


@pytest.mark.parametrize("name", LITERALS)
def test_no_format_shows_a_secret_in_a_program_a_comment_or_a_broken_line(name: str) -> None:
    made = literal(name)
    assert len(made.secrets) >= 5
    assert_hidden([source_of(name, made.text)], made)


@pytest.mark.parametrize("name", LITERALS)
def test_no_diff_shows_a_secret(name: str) -> None:
    made = literal(name)
    beside = {"#": "akka.framesize: 10485760b\n"}.get(name, "")
    source = source_of(name, made.text + beside)
    (fixed,) = fix([source], EVERY, unsafe=True)
    text = unified_diff(fixed.before, fixed.after).text + "".join(map(str, fixed.titles)) + "".join(fixed.left)
    assert [secret for _, secret in made.secrets if secret in text] == []


def test_a_diff_beside_secrets_shows_none() -> None:
    made = literal("flink-conf.yaml")
    lines = made.text.splitlines(keepends=True)
    text = "".join(f"{line}taskmanager.heap.mb: 1024\n" if number == 3 else line for number, line in enumerate(lines))
    (fixed,) = fix([source_of("flink-conf.yaml", text)], EVERY._replace(flink_version="1.18"), unsafe=True)
    assert fixed.changed
    diff = unified_diff(fixed.before, fixed.after).text
    assert diff
    assert [secret for _, secret in made.secrets if secret in diff] == []


@pytest.mark.slow
def test_no_command_shows_a_secret(flint: Flint, tmp_path: Path) -> None:
    secrets = [secret for name in LITERALS for _, secret in literal(name).secrets]
    for name in LITERALS:
        (tmp_path / name).write_text(literal(name).text)
    (tmp_path / "conf").mkdir()
    sound = "s3.secret-key: hush00x7f3aQQ99\ntaskmanager.heap.size: 1g\nparallelism.default: u:hush01x7f3aQQ99@x\n"
    (tmp_path / "conf" / "flink-conf.yaml").write_text(sound)
    conf = "conf/flink-conf.yaml"
    for arguments in (
        ("show", "."),
        ("show", ".", "--output-format", "json"),
        ("show", conf, "--flink-version", "1.18"),
        ("check", ".", "--diff", "--unsafe-fixes"),
        ("check", ".", "--write-baseline", "--baseline", "b.json"),
        ("check", ".", "--output-format", "json", "--output-file", "r.json", "--exit-zero"),
        ("comment", "r.json", "--dry-run", "--forge", "github"),
        ("upgrade", conf, "--from", "1.18", "--to", "2.0"),
        ("upgrade", conf, "--from", "1.18", "--to", "2.0", "--output-format", "json"),
        ("upgrade", conf, "--from", "1.18", "--to", "2.0", "--output-format", "markdown"),
        ("size", "network-buffers", "--config", conf),
        ("size", "taskmanager-memory", "--config", conf, "--task-heap", "2gb", "--output-format", "markdown"),
        ("size", "taskmanager-memory", "--config", conf, "--task-heap", "2gb", "--parallelism", "hush00x7f3aQQ99"),
        ("size", "taskmanager-memory", "--config", conf, "--task-heap", "2gb", "--write"),
        ("migrate", conf, "--output-file", "new/config.yaml"),
        ("check", ".", "--show-files"),
    ):
        done = flint(*arguments)
        said = done.stdout + done.stderr
        assert "failed; please report" not in said, said
        assert [secret for secret in secrets if secret in said] == [], arguments
    for written in ("b.json", "r.json"):
        text = (tmp_path / written).read_text()
        assert [secret for secret in secrets if secret in text] == [], written


# -- texts that are not secret


def test_known_keys_and_class_names_are_shown() -> None:
    text = (
        "s3.secret-key: secret\ns3.access-key: kafka\nsecurity.ssl.rest.key-password: s3\nsecurity.ssl.rest.kye: x\n"
        "blob.storage.directory: /tmp/x\nproperties.sasl.jaas.config: "
        "org.apache.flink.kafka.shaded.org.apache.kafka.common.security.plain.PlainLoginModule required;\n"
    )
    report = checked([source_of("flink-conf.yaml", text)], EVERY._replace(flink_version="1.18"))
    finding = report.findings[0]
    finding.message = (
        "see s3.secret-key, s3.access-key and security.ssl.rest.key-password of org.apache.kafka.clients.Foo, not of "
        "org.apache.flink.kafka.shaded.org.apache.kafka.common.security.plain.PlainLoginModule"
    )
    from flink_flint.linter.engine.locations import locate

    locate(finding, {report.documents[0].document.path: [report.documents[0].document]})
    assert HIDDEN not in finding.message
    shown = "".join(report_format("full").render(report, Context()))
    for key in ("s3.secret-key", "s3.access-key", "security.ssl.rest.key-password"):
        assert key in shown


def test_no_option_of_flink_is_taken_for_a_secret_that_flink_does_not_hide() -> None:
    from flink_flint.linter.flink.options import catalogue

    keys = [key for key, _ in catalogue().spellings()]
    assert len(keys) > 500
    assert [key for key in keys if may_be_secret(key) != is_secret(key)] == []


@pytest.mark.parametrize(
    "text",
    [
        "image: flink:1.20@sha256:0123456789abcdef",
        "pekko.tcp://flink@jobmanager:6123/user/rpc",
        "bootstrap: a:9092,b:9092",
        "http://proxy:3128/a?mail=me@example.com",
        "key.serializer: org.apache.kafka.StringSerializer",
        "primary.key: id",
        "passive: x",
        "state.backend.incremental: true",
        "fs.s3a.aws.credentials.provider: com.amazonaws.auth.WebIdentityTokenCredentialsProvider",
        "-- token STRING,",
        "secretKeyRef: {name: s3, key: secret}",
    ],
)
def test_what_is_no_secret_is_shown(text: str) -> None:
    assert secret_spans(text, ()) == []


@pytest.mark.parametrize("word", ["pasword", "passwrod", "secert", "sercet", "toekn", "acces-key", "API_KEY", "dbPass"])
def test_names_that_hold_secrets_though_misspelt(word: str) -> None:
    assert may_be_secret(f"client.{word}")


def test_the_key_of_a_finding_has_no_secret_and_else_stays() -> None:
    assert key_without_secrets("s3.secret-key hush7f3aQQ12") == f"s3.secret-key {HIDDEN}"
    assert key_without_secrets("s3.secret-key=hush7f3aQQ12") == f"s3.secret-key={HIDDEN}"
    for key in ("s3.secret-key", "my key", "metrics.reporter.a.b", "env.X", "a b c"):
        assert key_without_secrets(key) == key


def test_a_secret_that_is_spelled_anew_is_hidden(flint: Flint, tmp_path: Path) -> None:
    """FLK720 recommends a lower-case name."""
    (tmp_path / "job.yaml").write_text(
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: 'password=Hush7f3aQQ12'}\n"
        "spec:\n  image: flink:1.20.4\n  flinkVersion: v1_20\n  flinkConfiguration: {parallelism.default: '2'}\n"
    )
    told = flint("check", "--select", "FLK720", "job.yaml").stdout
    assert "write password-" in told
    for output in (told, flint("check", "--show-files", "job.yaml").stdout):
        assert "password=******" in output
        assert "hush7f3aqq12" not in output.lower()


def test_a_baseline_shows_no_character_that_acts(flint: Flint, tmp_path: Path) -> None:
    folder = tmp_path / "a\u202eb\x9b\u2028"
    folder.mkdir()
    (folder / "flink-conf.yaml").write_text("blob.storage.directory: /tmp\n")
    flint("check", "--write-baseline", "--baseline", "b.json")
    written = (tmp_path / "b.json").read_text("utf-8")
    assert written.replace("\n", "").isprintable()
    assert {row["path"] for row in json.loads(written)["findings"]} == {f"{folder.name}/flink-conf.yaml"}
    assert "stale" not in flint("check", "--baseline", "b.json").stderr


def test_secrets_of_another_file_are_hidden_in_what_is_said_of_this_one(flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    base = (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: orders}\nspec:\n"
        "  image: flink:1.20\n  flinkVersion: v1_20\n  flinkConfiguration:\n    s3.secret-key: hush7f3aQQ12\n"
    )
    (tmp_path / "base" / "a.yaml").write_text(base)
    (tmp_path / "base" / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tmp_path / "kustomization.yaml").write_text("resources: [base]\npatches: [{path: p.yaml}]\n")
    patch = (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: orders}\nspec:\n"
        "  flinkConfiguration:\n    parallelism.default: hush7f3aQQ12\n"
    )
    (tmp_path / "p.yaml").write_text(patch)
    done = flint("check", ".", "--select", "FLK025", "--output-format", "concise")
    assert "parallelism.default" in done.stdout
    assert "hush7f3aQQ12" not in done.stdout


# -- neutral output

ACTING = "\x1b[31m\x07\x7f\x9b\u202e\u2066\u200b\u200f\u061c\u2028\ufeff\udcff"


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_that_acts_reaches_a_reader(name: str, flint: Flint, tmp_path: Path) -> None:
    acting = ACTING.replace("\udcff", "")
    folder = tmp_path / f"a\x1b[2J\u202eb\u2066\n{acting[4:6]}"
    folder.mkdir()
    text = f"parallelism.default: {acting}\nblob.storage.directory: /tmp/{acting}\nakka.{acting}: 1\n"
    (folder / "flink-conf.yaml").write_bytes(text.encode() + b"rest.port: \xff\n")
    done = flint("check", ".", "--select", "ALL", "--output-format", name)
    assert done.returncode == 1, done.stderr
    assert [hex(ord(char)) for char in ACTING if char in done.stdout + done.stderr and char not in "[31m"] == []
    if name in ("json", "gitlab", "rdjson", "sarif"):
        found = json.loads(done.stdout)
        texts = [one["message"] for one in found["findings"]] if name == "json" else []
        assert not any(char in text for text in texts for char in ACTING if char not in "[31m")


def test_show_and_errors_are_neutral(flint: Flint, tmp_path: Path) -> None:
    text = f"parallelism.default: x{ACTING[:-1]}y\nakka.\u202ekey: \x1b]0;title\x07\n"
    (tmp_path / "flink-conf.yaml").write_text(text)
    (tmp_path / "flint.toml").write_text('select = ["\\u001b[31m\\u202e"]\n')
    for arguments in (
        ("show", "."),
        ("show", ".", "--output-format", "json"),
        ("check", "."),
        ("explain", "\x1b[31m\u202e"),
        ("check", "\x1b]0;x\x07"),
    ):
        done = flint(*arguments, **({"FORCE_COLOR": "1"} if arguments == ("show", ".") else {}))
        said = done.stdout + done.stderr
        assert [char for char in "\x07\x9b\u202e\u2066\u200b" if char in said] == [], (arguments, said)
        assert "\x1b]" not in said
        assert "\x1b[31m" not in said


def test_a_diff_has_no_line_that_acts(tmp_path: Path) -> None:
    text = f"rest.bind-port: {ACTING[:-1]}\nakka.framesize: 10485760b\nx: \u202e\n"
    (fixed,) = fix([source_of("flink-conf.yaml", text)], EVERY._replace(flink_version="1.20"), unsafe=False)
    assert fixed.changed
    diff = unified_diff(fixed.before, fixed.after)
    assert diff.text
    assert [char for char in ACTING if char in diff.text and char not in "[31m"] == []


def test_the_stream_keeps_flints_own_colors_alone() -> None:
    plain, colored = io.StringIO(), io.StringIO()
    text = "\x1b[1mbold\x1b[0m \x1b[8mconcealed \u202e"
    NeutralStream(plain, color=False).write(text)
    NeutralStream(colored, color=True).write(text)
    assert plain.getvalue() == "\\u001b[1mbold\\u001b[0m \\u001b[8mconcealed \\u202e"
    assert colored.getvalue() == "\x1b[1mbold\x1b[0m \\u001b[8mconcealed \\u202e"


@pytest.mark.parametrize("filler", "\u115f\u1160\u3164\uffa0")
def test_letters_without_width_are_spelled(filler: str) -> None:
    assert filler.isprintable()
    for made in (neutral, neutral_line):
        assert made(f"a{filler}b") == f"a\\u{ord(filler):04x}b"


def test_inside_of_json_a_neutral_character_means_itself() -> None:
    path = "conf/\u202eb\x7f\U000e0041"
    assert json.loads(neutral(json.dumps({"path": path}, ensure_ascii=False))) == {"path": path}


@pytest.mark.parametrize("name", LITERALS)
def test_no_editor_shows_a_secret(name: str) -> None:
    from flink_flint.linter.lsp.code_actions import fix_of
    from flink_flint.linter.lsp.diagnostics import diagnostic
    from flink_flint.linter.lsp.text_buffer import Buffer

    made = literal(name)
    source = source_of(name, made.text)
    report = check([source], EVERY)
    documents = [one.document for one in report.documents]
    buffer = Buffer(made.text)
    told = [diagnostic(finding, lambda path: (buffer, documents)) for finding in report.findings]
    told += [fix_of(finding, source, documents, lambda one: check([one], EVERY)) for finding in report.findings]  # type: ignore[misc]
    assert [secret for _, secret in made.secrets if secret in str(told)] == []


@pytest.mark.parametrize("key", ["kubernetes.secrets", "pipeline.global-job-parameters"])
def test_a_key_of_a_map_that_stands_twice_shows_no_value(key: str, flint: Flint, tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text(f"{key}: token:hush00x7f3aQQ99,token:hush01x7f3aQQ99\n")
    for arguments in (
        ("check", ".", "--select", "ALL"),
        ("check", ".", "--select", "ALL", "--output-format", "json"),
        ("show", "."),
        ("upgrade", ".", "--from", "1.18", "--to", "2.0"),
        ("size", "taskmanager-memory", "--config", "flink-conf.yaml", "--task-heap", "2gb"),
    ):
        done = flint(*arguments)
        assert "hush0" not in done.stdout + done.stderr, arguments
    assert "has the key 'token' twice" in " ".join(flint("check", ".", "--select", "FLK049").stdout.split())


def test_the_names_of_a_history_show_no_secret(flint: Flint, tmp_path: Path) -> None:
    job, operator = "orders password=hush00x7f3aQQ99", "enrich token: hush01x7f3aQQ99"
    observed = {"job/lastCheckpointDuration @ " + job: 400_000, "task/busyTimeMsPerSecond @ " + operator: 990}
    one = write_store(tmp_path / "one", **{"eu secret-key=hush02x7f3aQQ99": observed})
    two = write_store(tmp_path / "two", **dict.fromkeys(("a password=hush02x7f3aQQ99", "b"), observed))
    conf = tmp_path / "flink-conf.yaml"
    conf.write_text("execution.checkpointing.interval: 60 s\nparallelism.default: 4\n")
    for history in (one, two, f"{one}#none"):
        for form in ("full", "json", "sarif"):
            done = flint("check", str(conf), "--history", history, "--select", "ALL", "--output-format", form)
            said = done.stdout + done.stderr
            assert "hush0" not in said, said
            if history == one and form == "full":
                assert "checkpoints of job 'orders password=******'" in " ".join(said.split())
    named = "pipeline.name: orders password=hush00x7f3aQQ99\n"
    conf.write_text(named + conf.read_text())
    assert "FLK651" in flint("check", str(conf), "--history", one, "--output-format", "concise").stdout


def test_a_patch_of_sizing_and_a_failed_migration_show_no_secret(flint: Flint, tmp_path: Path) -> None:
    conf = (
        "s3.secret-key hush00x7f3aQQ99\ntaskmanager.memory.process.size: 2g\n"
        "taskmanager.numberOfTaskSlots: 2\ns3.secert-key: hush01x7f3aQQ99\n"
    )
    (tmp_path / "flink-conf.yaml").write_text(conf)
    (tmp_path / "config.yaml").write_text("s3.secret-key hush00x7f3aQQ99\nrest.port: {\n")
    for arguments in (
        ("size", "taskmanager-memory", "--config", "flink-conf.yaml", "--output-format", "patch", "--task-heap", "4gb"),
        ("size", "taskmanager-memory", "--config", "config.yaml"),
        ("migrate", "flink-conf.yaml", "--to", "2.0"),
        ("show", "config.yaml"),
    ):
        done = flint(*arguments)
        said = done.stderr if arguments[0] == "migrate" else done.stdout + done.stderr
        assert "hush0" not in said, (arguments, said)
        assert "patch" not in arguments or "@@" in said
