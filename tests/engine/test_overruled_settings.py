"""Settings of a deployment that its program replaces."""

from pathlib import Path

import pytest

from flink_flint.linter.engine.check_run import Options, check
from flink_flint.linter.engine.discovery import find

DEPLOYMENT = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: orders}
spec:
  image: flink:1.18.1
  flinkVersion: v1_18
  flinkConfiguration:
    state.checkpoint-storage: jobmanager
    execution.checkpointing.interval: 30s
    parallelism.default: many
  job: {jarURI: local:///opt/flink/usrlib/orders.jar, entryClass: shop.Orders}
"""
PROGRAM = """\
package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        String directory = System.getenv("CHECKPOINTS");
        env.setParallelism(4);
        %s
        env.fromSequence(1, 10).print();
        env.execute("orders");
    }
}
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("", {("FLK313", "warning"), ("FLK320", "warning")}),
        ('env.getCheckpointConfig().setCheckpointStorage("s3://shop/checkpoints");', {("FLK320", "info")}),
        ("env.getCheckpointConfig().setCheckpointStorage(directory);", {("FLK320", "info")}),
        (
            "if (directory != null) { env.getCheckpointConfig().setCheckpointStorage(directory); }",
            {("FLK320", "info")},
        ),
        ("env.getCheckpointConfig().setCheckpointTimeout(60000);", {("FLK313", "warning"), ("FLK320", "warning")}),
    ],
)
def test_a_hazard_in_a_setting_that_the_program_replaces_is_a_suggestion(
    call: str, found: set[tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "orders.yaml").write_text(DEPLOYMENT, encoding="utf-8")
    (tmp_path / "Orders.java").write_text(PROGRAM % call, encoding="utf-8")
    report = check(find([str(tmp_path)]), Options(select=("FLK313", "FLK320", "FLK025")))
    on_deployment = {(one.code, one.severity.word) for one in report.findings if one.path.endswith(".yaml")}
    assert on_deployment == {*found, ("FLK025", "error")}  # whatever the program sets, the cluster reads the value
