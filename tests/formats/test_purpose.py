"""What a file is for: production, a test, or an example, by its path and, for programs, by its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.formats.purpose import Purpose, purpose_of, set_purpose
from flink_flint.linter.formats.sql.scratch_sheets import evidence_of_sheet
from tests.formats.reading import read

JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job { public static void main(String[] args) throws Exception { } }
"""
LIBRARY = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\nclass Helper { }\n"


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    root = tmp_path / "pipelines"
    (root / ".git").mkdir(parents=True)
    return root


def of(repository: Path, path: str, text: str = "", kind: str = "config.yaml") -> Purpose:
    file = repository / path
    file.parent.mkdir(parents=True, exist_ok=True)
    return purpose_of(str(file), text, kind)


@pytest.mark.parametrize(
    "path",
    [
        "src/test/resources/flink-conf.yaml",
        "module/src/it/scala/Job.scala",
        "module/src/integrationTest/java/a/Job.java",
        "module/src/integration-test/resources/config.yaml",
        "module/src/testFixtures/java/a/Job.java",
        "module/src/jmh/java/a/Job.java",
        "it/src/main/java/a/Job.java",
        "tests/docker/docker-compose.yml",
        "test/conf/flink-conf.yaml",
        "flink-end-to-end-tests/src/main/java/a/Job.java",
        "connector-e2e/docker-compose.yml",
        "examples/src/test/resources/flink-conf.yaml",
        "benchmarks/values.yaml",
        "integ/config/session.yaml",
        "molecule/default/flink-conf.yaml",
        "e2e-tests/data/session-cr.yaml",
        "flink-end-to-end-tests/test-scripts/common.sh",
        "deploy/test-scripts/start.sh",
    ],
)
def test_folders_of_tests(path: str, repository: Path) -> None:
    purpose = of(repository, path)
    assert purpose.name == "test"
    assert purpose.evidence.startswith("in ")


@pytest.mark.parametrize(
    "path",
    [
        "examples/flink-conf.yaml",
        "docs/config/config.yaml",
        "rides/src/solution/java/a/Job.java",
        "flink-quickstart/config.yaml",
        "job-examples/src/main/java/a/Job.java",
        "Fraud Detection Demo/src/main/java/a/Job.java",
        "module/src/main/java/org/acme/tutorials/Job.java",
        "module/src/main/resources/archetype-resources/config.yaml",
        "clusters/flink_sandbox/deployment.yaml",
        "deploy/dev/session.yaml",
        "experiments/1724-unique/job.yaml",
        "flink/overlays/local/config.yaml",
        "old-code/java/conf/flink-conf.yaml",
        "core/src/main/resources/conf/example/job.json",
        "flink/example_job.yaml",
        "conf/flink-conf.yaml.example",
        "orders-sample.yaml",
    ],
)
def test_folders_of_examples(path: str, repository: Path) -> None:
    assert of(repository, path).name == "example"


@pytest.mark.parametrize(
    "path",
    [
        "conf/flink-conf.yaml",
        "dev/flink-conf.yaml",
        "deploy/devices/flink-conf.yaml",
        "deploy/resampler.yaml",
        "src/main/scala/it/unibo/states/Main.scala",
        "src/main/java/com/example/tenant/Job.java",
        "src/main/java/com/acme/test/Job.java",
        "src/main/java/com/acme/tests/Job.java",
        "latest/config.yaml",
        "attestation/config.yaml",
        "it/unibo/Job.java",
        "demonstrators/config.yaml",
        "src/main/java/com/acme/experiments/Job.java",
    ],
)
def test_other_folders_are_production(path: str, repository: Path) -> None:
    assert of(repository, path, JOB, "source") == ("production", "")


@pytest.mark.parametrize(("beside", "purpose"), [("Chart.yaml", "test"), ("Makefile", "production")])
def test_values_that_a_chart_is_tested_with(beside: str, purpose: str, repository: Path) -> None:
    chart = repository / "charts" / "orders"
    chart.mkdir(parents=True)
    (chart / beside).write_text("name: orders\n")
    assert of(repository, "charts/orders/ci/ha-values.yaml").name == purpose


@pytest.mark.parametrize("neighbor", ["prod", "staging", "production"])
def test_a_folder_test_next_to_environments_is_an_environment(neighbor: str, repository: Path) -> None:
    (repository / "overlays" / neighbor).mkdir(parents=True)
    assert of(repository, "overlays/test/kustomization.yaml").name == "production"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("CheckoutIT.java", "import org.junit.jupiter.api.Test;"),
        ("Helpers.java", "import org.apache.flink.test.util.MiniClusterWithClientResource;"),
        ("Helpers.java", "import static org.assertj.core.api.Assertions.assertThat;"),
        ("Harness.scala", "import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness"),
        ("JobSpec.scala", "import org.scalatest.flatspec.AnyFlatSpec"),
        ("Jobs.kt", "import io.kotest.core.spec.style.StringSpec"),
        ("Speed.java", "import org.openjdk.jmh.annotations.Benchmark;"),
        ("jobs.py", "import pytest"),
        ("jobs.py", "from pyflink.testing.test_case_utils import PyFlinkTestCase"),
    ],
)
def test_programs_that_import_libraries_of_tests(name: str, line: str, repository: Path) -> None:
    purpose = of(repository, f"app/{name}", f"package a;\n{line}\n{LIBRARY}", "source")
    assert purpose.name == "test"
    assert purpose.evidence.startswith("it imports ")


@pytest.mark.parametrize("name", ["Test.java", "JobTest.java", "JobITCase.scala", "JobBenchmark.kt", "test_job.py"])
def test_programs_with_names_of_tests(name: str, repository: Path) -> None:
    assert of(repository, f"app/{name}", LIBRARY, "source") == ("test", f"the name {name}")


def test_a_main_of_production_that_starts_a_mini_cluster_is_a_deployment(repository: Path) -> None:
    text = "import org.apache.flink.runtime.minicluster.MiniCluster;\nimport org.junit.Assert;\n" + JOB
    assert of(repository, "src/main/java/a/Server.java", text, "source").name == "production"
    assert of(repository, "src/test/java/a/Server.java", text, "source").name == "test"


def test_an_import_of_a_mini_cluster_alone_proves_nothing(repository: Path) -> None:
    text = "import org.apache.flink.runtime.minicluster.MiniCluster;\n" + LIBRARY
    assert of(repository, "app/Server.java", text, "source").name == "production"


@pytest.mark.parametrize("name", ["LoadTest.java", "Latest.java", "Contest.java", "Credit.java", "AUDIT.java"])
def test_names_that_only_look_like_those_of_tests(name: str, repository: Path) -> None:
    assert of(repository, f"app/{name}", JOB, "source").name == "production"


def test_where_the_checkout_is_does_not_matter(tmp_path: Path) -> None:
    root = tmp_path / "tests" / "examples" / "orders"
    (root / ".git").mkdir(parents=True)
    assert of(root, "conf/flink-conf.yaml").name == "production"


def test_naming_a_file_does_not_change_what_it_is_for(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository / "src" / "test" / "resources"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert purpose_of("flink-conf.yaml").name == "test"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "flink-examples",
            "kafka-flink-demo",
            "acme+k3s-homelab",
            "acme+flink-samples",
            "flink-learning",
            "orders-poc",
        ),
        *("pyflink-basic-introduction", "streams-handson", "flink-studies"),
    ],
)
def test_repositories_of_examples(name: str, tmp_path: Path) -> None:
    (tmp_path / name / ".git").mkdir(parents=True)
    assert of(tmp_path / name, "java/Sink/flink-conf.yaml") == ("example", f"in the repository {name}")


@pytest.mark.parametrize(
    "name", ["public-benchmarks", "acme+flink-benchmark", "stream-bench", "benchmarking", "table-benchmark-runner"]
)
def test_repositories_of_benchmarks(name: str, tmp_path: Path) -> None:
    (tmp_path / name / ".git").mkdir(parents=True)
    assert of(tmp_path / name, "flink/conf/flink-conf.yaml") == ("development", f"in the repository {name}")


@pytest.mark.parametrize(
    "name", ["workbench", "benchmarked-orders", "benches-of-parks", "machine-learning", "model-learning", "epoc"]
)
def test_repositories_that_only_sound_like_benchmarks_or_examples(name: str, tmp_path: Path) -> None:
    (tmp_path / name / ".git").mkdir(parents=True)
    assert of(tmp_path / name, "flink/conf/flink-conf.yaml").name == "production"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("# Apache Flink Training Exercises", "example"),
        ("# Examples for Apache Flink", "example"),
        ("Streaming workshop\n==================", "example"),
        ("# Order pipeline", "production"),
        ("# Training of models", "production"),
        ("# Stream processing benchmarks", "development"),
        ("# Benchmarking of joins", "development"),
        ("# Benchmarked order pipeline", "production"),
        ("Order pipeline, see the examples below", "production"),
    ],
)
def test_the_title_of_the_readme(title: str, name: str, repository: Path) -> None:
    (repository / "README.md").write_text(f"{title}\n\nSee examples and tutorials.\n")
    assert of(repository, "conf/flink-conf.yaml").name == name


def test_without_a_repository_only_the_path_below_the_current_folder_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tests" / "examples"
    (folder / "src" / "test").mkdir(parents=True)
    assert purpose_of(str(folder / "flink-conf.yaml")).name == "production"
    monkeypatch.chdir(folder)
    assert purpose_of("flink-conf.yaml").name == "production"
    assert purpose_of("src/test/flink-conf.yaml").name == "test"


@pytest.mark.parametrize(
    ("name", "kind", "purpose"),
    [
        ("dev-application.conf", "properties", "development"),
        ("application-local.yaml", "properties", "development"),
        ("application.local.conf", "properties", "development"),
        ("docker-compose.dev.yml", "compose", "development"),
        ("values-local.yaml", "helm", "development"),
        ("values-dev.yaml", "helm", "production"),
        ("deployment-dev.yaml", "flinkdeployment", "production"),
        ("application.conf", "properties", "production"),
        ("devices.conf", "properties", "production"),
        ("locality-aware.sql", "sql", "production"),
        ("hive-test.sql", "sql", "test"),
        ("orders-e2e.conf", "properties", "test"),
        ("test2.sql", "sql", "test"),
        ("ab-test.sql", "sql", "production"),
        ("latest.sql", "sql", "production"),
        ("hive-test.yaml", "flinkdeployment", "production"),
    ],
)
def test_names_of_files_for_a_developers_machine(name: str, kind: str, purpose: str, repository: Path) -> None:
    found = of(repository, f"conf/{name}", kind=kind)
    assert found.name == purpose
    assert found.evidence == ("" if purpose == "production" else f"the name {name}")


def test_a_configuration_that_names_its_environment(repository: Path) -> None:
    text = 'environment: "local"\nflink {\n  parallelism.default: 2\n}\n'
    assert of(repository, "conf/application.conf", text, "properties") == ("development", 'it has environment: "local"')
    assert of(repository, "conf/application.conf", text.replace("local", "prod"), "properties").name == "production"
    assert of(repository, "conf/application.conf", text, "helm").name == "production"


def test_a_script_that_prints_what_it_generates_is_an_example(repository: Path) -> None:
    generated = "CREATE TABLE a (x INT) WITH ('connector' = 'datagen');\n"
    shown = "CREATE TABLE b (x INT) WITH ('connector'='print');\nINSERT INTO b SELECT x FROM a;\n"
    assert of(repository, "sql/job.sql", generated + shown, "sql").name == "example"
    for text in (
        generated,
        shown,
        generated.replace("datagen", "kafka") + shown,
        generated + shown.replace("print", "jdbc"),
        "CREATE CATALOG c WITH ('type' = 'iceberg');\n" + generated + shown,
    ):
        assert of(repository, "sql/job.sql", text, "sql").name == "production"


def test_a_class_that_is_named_as_a_trial_is_development(repository: Path) -> None:
    text = "public class TestUserIssue { public static void main(String[] args) { } }\n"
    trials = ("SinkMysqlTest01.java", "Test.java", "Test_2.java", "Demo04.java", "KafkaDemo.java", "SourceExample.java")
    for name in ("TestUserIssue12.java", "WordCountTest.java", "WindowTests.scala", *trials):
        assert of(repository, f"src/main/java/a/{name}", text, "source") == ("development", f"the name {name}")
    others = ("LoadTest01.java", "Contest01.java", "Demographics.java", "ExampleStore.java", "DemoteOrders.java")
    for name in (
        "Testimony.java",
        "LatestOrders.java",
        "Orders.java",
        "CheckoutABTest.java",
        "StressTest.java",
        *others,
    ):
        assert of(repository, f"src/main/java/a/{name}", text, "source").name == "production"


@pytest.mark.parametrize(
    ("jar", "purpose"),
    [
        ("local:///opt/flink/examples/streaming/StateMachineExample.jar", "example"),
        ("local:///opt/flink/usrlib/orders.jar", "production"),
    ],
)
def test_a_resource_that_runs_an_example_of_flink_is_one(jar: str, purpose: str, repository: Path) -> None:
    text = (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: a}\nspec:\n"
        f"  job:\n    jarURI: {jar}\n"
    )
    documents = read(str(repository / "a.yaml"), text)
    set_purpose(documents)
    assert [document.purpose for document in documents] == [purpose]


@pytest.mark.parametrize(
    ("metadata", "purpose"),
    [
        ("labels: {environment: development}", "development"),
        ("labels: {env: Test}", "development"),
        ("labels: {app.kubernetes.io/environment: dev}", "development"),
        ("namespace: sandbox", "development"),
        ("labels: {environment: staging}", "production"),
        ("labels: {environment: '{{ environment }}'}", "production"),
        ("labels: {component: development}", "production"),
        ("namespace: developers", "production"),
    ],
)
def test_a_resource_that_names_its_environment(metadata: str, purpose: str, repository: Path) -> None:
    text = (
        f"apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {{name: a, {metadata}}}\nspec:\n"
        "  job:\n    jarURI: local:///opt/flink/usrlib/orders.jar\n"
    )
    documents = read(str(repository / "a.yaml"), text)
    set_purpose(documents)
    assert [document.purpose for document in documents] == [purpose]


@pytest.mark.parametrize("folder", ["examples/batch", "usrlib"])
def test_a_container_whose_arguments_run_an_example_of_flink_is_one(folder: str, repository: Path) -> None:
    jar = f"/opt/flink/{folder}/WordCount.jar"
    text = (
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      containers:\n"
        f"      - {{name: flink, image: 'flink:1.20', args: [run, {jar}]}} # not /opt/flink/examples/\n"
    )
    documents = read(str(repository / "a.yaml"), text)
    set_purpose(documents)
    assert {document.purpose for document in documents} == {"example" if "examples" in folder else "production"}


FLINKS_POM = """<project>
  <parent><groupId>org.apache</groupId><artifactId>apache</artifactId></parent>
  <groupId>org.apache.flink</groupId><artifactId>flink-parent</artifactId>
</project>
"""


@pytest.mark.parametrize(
    ("path", "text", "purpose"),
    [
        ("flink-core/src/main/java/Job.java", "package org.apache.flink.api;\n" + JOB, "development"),
        ("flink-python/pyflink/table/job.py", "import pyflink\n", "development"),
        ("flink-examples/src/main/java/Job.java", "package org.apache.flink.examples;\n" + JOB, "example"),
        ("flink-core/src/test/java/Job.java", "package org.apache.flink.api;\n" + JOB, "test"),
        ("jobs/src/main/java/Job.java", "package org.acme;\n" + JOB, "production"),
    ],
)
def test_classes_of_flink_itself(path: str, text: str, purpose: str, repository: Path) -> None:
    (repository / "pom.xml").write_text(FLINKS_POM)
    assert of(repository, path, text, "source").name == purpose


def test_a_package_of_flink_elsewhere_is_no_class_of_flink(repository: Path) -> None:
    assert of(repository, "src/main/java/Job.java", "package org.apache.flink;\n" + JOB, "source").name == "production"


@pytest.mark.parametrize(
    ("script", "evidence"),
    [
        ("CREATE TABLE a (x INT);\nSELECT * FROM a;\nCREATE TABLE a (y INT);\n", "it creates a twice"),
        ("CREATE TABLE a (x INT);\nDROP TABLE a;\nCREATE TABLE a (y INT);\n", ""),
        ("CREATE TABLE a (x INT);\nUSE other;\nCREATE TABLE a (y INT);\n", ""),
        ("CREATE TABLE a (x INT);\nCREATE TABLE IF NOT EXISTS a (y INT);\n", ""),
        ("CREATE TABLE c.a (x INT);\nCREATE TABLE d.a (y INT);\n", ""),
        ("SELECT 1;\nSHOW TABLES;\nDESCRIBE a;\n", "it writes nothing, and shows the results of several statements"),
        ("SELECT 1;\nSHOW TABLES;\nDESCRIBE a;\nINSERT INTO a SELECT 1;\n", ""),
        ("SHOW TABLES;\nDESCRIBE a;\nSHOW JOBS;\n", ""),
        ("CREATE TABLE a (x INT);\nSELECT * FROM a;\n", ""),
        ("SELECT 1;\nSELECT 2;\nCREATE TABLE a AS SELECT 3;\nSELECT 4;\n", ""),
        ("SELECT 1;\nSELECT 2;\nSELECT 4;\nBEGIN STATEMENT SET;\nINSERT INTO a SELECT 1;\nEND;\n", ""),
    ],
)
def test_a_sheet_of_statements_is_no_script(script: str, evidence: str) -> None:
    assert evidence_of_sheet(script) == evidence


@pytest.mark.parametrize(
    ("comment", "name"),
    [
        ("Reference implementation for the Hourly Tips exercise from the Flink training.", "example"),
        ("The Flink training has this as one of its exercises.", "example"),
        ("An exercise in patience. Not the Flink training.", "production"),
        ("Orders.", "production"),
    ],
)
def test_an_exercise_of_the_training_is_an_example_wherever_it_is(repository: Path, comment: str, name: str) -> None:
    text = JOB.replace("public class", f"/** {comment} */\npublic class")
    assert of(repository, "src/main/java/shop/Job.java", text, "source").name == name
