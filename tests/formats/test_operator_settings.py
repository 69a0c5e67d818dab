"""What the operator makes of a resource is effective: `tests/operator_configuration` has seen it with real ones."""

from __future__ import annotations

from flink_flint.linter.model.document import Document
from tests.formats.reading import read

_HEAD = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: orders, namespace: shop}\n"


def resource(spec: str, *, version: str = "v1_20") -> Document:
    (found,) = read("deployment.yaml", f"{_HEAD}spec:\n  flinkVersion: {version}\n{spec}")
    return found


def source(document: Document, key: str) -> tuple[str, str]:
    entry = document.effective[key]
    return entry.text, entry.layer


JOB = "  job: {jarURI: 'local:///opt/a.jar', parallelism: 2}\n"


def test_what_the_operator_sets_wins_over_the_configuration() -> None:
    document = resource(f"  flinkConfiguration:\n    execution.target: remote\n    pipeline.jars: file:///b.jar\n{JOB}")
    assert source(document, "execution.target") == ("kubernetes-application", "set by the operator")
    assert source(document, "pipeline.jars") == ("local:///opt/a.jar", "spec.job.jarURI")
    assert source(document, "kubernetes.namespace") == ("shop", "metadata.namespace")
    assert source(document, "pipeline.name") == ("orders", "the operator's default, from metadata.name")
    assert source(resource("  image: a\n"), "execution.target")[0] == "kubernetes-session"


def test_standalone_processes_load_the_jar_from_their_class_path() -> None:
    document = resource(f"  mode: standalone\n{JOB}")
    assert source(document, "pipeline.classpaths") == ("file:///opt/a.jar", "spec.job.jarURI")
    assert "pipeline.jars" not in document.effective
    assert source(document, "execution.target")[0] == "remote"


def test_overrides_of_vertices_count_in_standalone_mode_alone() -> None:
    overrides = "  flinkConfiguration: {pipeline.jobvertex-parallelism-overrides: 'a:3,b:9'}\n"
    assert source(resource(f"  mode: standalone\n{overrides}{JOB}"), "parallelism.default")[0] == "9"
    assert source(resource(f"{overrides}{JOB}"), "parallelism.default") == ("2", "spec.job.parallelism")


def test_what_the_operator_removes_is_not_effective() -> None:
    keys = ("rest.bind-address", "taskmanager.host", "execution.savepoint.path")
    configuration = "".join(f"    {key}: x\n" for key in keys)
    document = resource(f"  flinkConfiguration:\n{configuration}{JOB}")
    assert not document.effective.keys() & set(keys)
    assert [entry.key for entry in document.entries if entry.removes] == list(keys)
    session = resource(f"  flinkConfiguration:\n{configuration}")
    assert session.effective["execution.savepoint.path"].text == "x"


def test_a_file_template_of_the_user_is_replaced_by_an_unknown_one() -> None:
    document = resource("  flinkConfiguration: {kubernetes.pod-template-file.jobmanager: /a.yaml}\n")
    entry = document.effective["kubernetes.pod-template-file.jobmanager"]
    assert (entry.text, entry.value) == ("", None)


def test_high_availability_gets_the_name_and_a_folder_for_results() -> None:
    ha = "    high-availability: kubernetes\n    high-availability.storageDir: s3://a/ha\n"
    document = resource(f"  flinkConfiguration:\n{ha}{JOB}")
    assert source(document, "high-availability.cluster-id") == ("orders", "metadata.name")
    entry = document.effective["job-result-store.storage-path"]
    assert (entry.text, entry.value) == ("s3://a/ha/job-result-store/orders/<random>", None)
    off = resource(f"  flinkConfiguration:\n{ha.replace(': kubernetes', ': NONE')}{JOB}")
    assert "high-availability.cluster-id" not in off.effective


def test_values_are_read_as_the_file_has_them_that_the_operator_writes() -> None:
    configuration = "  flinkConfiguration:\n    a.b: x#y\n    c.d: ''\n    e.f: ' g '\n    h.i: |\n      j\n      k\n"
    old, new = resource(configuration), resource(configuration, version="v2_0")
    assert {key: entry.text for key, entry in old.effective.items() if len(key) == 3} == {
        "a.b": "x", "e.f": "g", "h.i": "j",
    }  # fmt: skip
    assert {key: entry.text for key, entry in new.effective.items() if len(key) == 3} == {
        "a.b": "x#y", "c.d": "", "e.f": " g ", "h.i": "j\nk\n",
    }  # fmt: skip


def test_numbers_have_the_spelling_of_the_operator() -> None:
    document = resource("  flinkConfiguration: {a.b: 1.0e-05, c.d: 1e16, e.f: 1.0e+22, g.h: 0.5}\n")
    found = {key: entry.text for key, entry in document.effective.items() if len(key) == 3}
    assert found == {"a.b": "1.0E-5", "c.d": "10000000000000000", "e.f": "1.0E22", "g.h": "0.5"}


def test_a_patch_says_nothing_about_the_rest_of_the_resource() -> None:
    (patch,) = read("deployment.yaml", f"{_HEAD}spec:\n  job: {{parallelism: 4}}\n")
    assert "execution.target" not in patch.effective
    assert patch.effective["parallelism.default"].text == "4"


def under(operator: tuple[int, int], document: Document) -> Document:
    document.set_operator(lambda: operator)
    return document


def test_settings_follow_the_release_of_the_operator() -> None:
    text = f"  mode: standalone\n{JOB}"
    assert "pipeline.jars" in under((1, 10), resource(text)).effective
    assert "pipeline.jars" not in under((1, 11), resource(text)).effective
    error = "execution.submit-failed-job-on-application-error"
    assert error not in under((1, 9), resource(JOB)).effective
    available = f"  flinkConfiguration: {{high-availability.type: kubernetes}}\n{JOB}"
    assert source(under((1, 9), resource(available)), error)[0] == "true"
    assert error not in under((1, 5), resource(available)).effective  # built with a Flink that does not know the name
    overrides = "  flinkConfiguration: {pipeline.jobvertex-parallelism-overrides: 'a:3,b:9'}\n"
    found = [under((1, minor), resource(f"{overrides}{JOB}")).effective for minor in (7, 8, 13, 14)]
    assert [one["parallelism.default"].text for one in found] == ["2", "9", "9", "2"]


def test_only_the_entries_of_the_release_take_part() -> None:
    ingress = "  ingress: {template: a}\n  flinkConfiguration: {kubernetes.rest-service.exposed.type: NodePort}\n"
    for operator, text, overridden in (((1, 9), "ClusterIP", [True, False]), ((1, 10), "NodePort", [False])):
        document = under(operator, resource(ingress))
        entries = [one for one in document.entries if one.key == "kubernetes.rest-service.exposed.type"]
        assert [one.overridden for one in entries] == overridden
        assert entries[-1].text == text


def test_a_value_that_is_lost_in_flink_conf_is_lost_under_each_release() -> None:
    ingress = "  ingress: {template: a}\n  flinkConfiguration: {kubernetes.rest-service.exposed.type: '#NodePort'}\n"
    key = "kubernetes.rest-service.exposed.type"
    assert key not in resource(ingress, version="v1_18").effective
    assert source(under((1, 9), resource(ingress, version="v1_18")), key)[0] == "ClusterIP"


def test_requests_of_old_operators_have_no_settings_of_a_session_job() -> None:
    text = (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkSessionJob\nmetadata: {name: one}\nspec:\n"
        "  deploymentName: orders\n"
        "  flinkConfiguration: {pipeline.name: a, kubernetes.operator.job.restart.failed: 'true'}\n"
        "  job: {jarURI: 'https://example.com/a.jar', parallelism: 3}\n"
    )
    (old,), (new,) = read("job.yaml", text), read("job.yaml", text)
    assert set(under((1, 5), old).effective) == {"kubernetes.operator.job.restart.failed", "parallelism.default"}
    assert source(new, "pipeline.name")[0] == "a"
