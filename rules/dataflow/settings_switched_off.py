"""Settings are made only if a parameter is true, and the only call gives false.

## What it does
Looks for functions that make Flink's settings in an `if` of one of their boolean parameters, such as those of high
availability or checkpoints, and for calls that give the literal `false` for it, where no file of the project calls the
function otherwise.

## Why it matters
The settings stand in the program, and are never made. Nobody is told: the job starts without high availability, or
without checkpoints, and at the first failure of the JobManager it is gone, or starts from nothing.

## What to do
Pass the variable that is meant, or remove the parameter.

## Not when
Another call gives something else, or the function is called by a name that is not in the project.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/ha/overview/>: without high availability a job
  does not survive its JobManager
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView
from flink_flint.linter.text.lazy_regex import regex

_CALL = regex(r"\b(\w+)\s*\(")


@rule(
    code="FLK468",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:guarded-settings"],
    scope="project",
    compares=[(["element:guarded-settings"], ["element:flag-call"])],
    flink=">=1.0",
    since="0.1",
)
def settings_switched_off(project: Project) -> Iterator[Finding]:
    """settings depend on a parameter, and the only call gives false"""
    for guarded in {
        (one.document.path, one.element.span): one
        for view in project.views
        for one in view.elements("guarded-settings")
    }.values():
        calls = _calls(project, guarded)
        if len(calls) != 1 or calls[0].flag("value") is not False or _mentions(project, guarded.name) != 2:
            continue
        keys = (guarded.text("keys") or "").split(", ")
        more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        yield calls[0].finding(
            f"false for {guarded.text('parameter')} leaves out {keys[0]}{more}, which {guarded.name} sets only if it is"
            " true, and nothing else calls it",
            of="position",
            help=f"pass the variable that is meant for {guarded.text('parameter')}",
            related=[guarded.place("keys", "never made")],
        )


def _calls(project: Project, guarded: ElementView) -> list[ElementView]:
    """Return the calls that decide about a function's settings, each once."""
    found = {
        (one.document.path, one.element.span): one
        for view in project.views
        for one in view.elements("flag-call")
        if one.name == guarded.name
        and one.text("class") == guarded.text("class")
        and one.number("position") == guarded.number("position")
    }
    return list(found.values())


def _mentions(project: Project, name: str) -> int:
    """Return how often programs have a function's name before a parenthesis: once in its definition, and in calls."""
    texts = {
        view.document.path: view.document.text
        for view in project.views
        if view.elements("guarded-settings") or view.elements("flag-call")
    }
    return sum(found[1] == name for text in texts.values() if name in text for found in _CALL.finditer(text))


_CLUSTER = """import org.apache.flink.configuration.Configuration;
public class Cluster {
  public static Configuration configuration(boolean streaming) {
    Configuration configuration = new Configuration();
    configuration.setString("state.backend.type", "rocksdb");
    if (streaming) {
      configuration.setString("high-availability.type", "zookeeper");
      configuration.setString("high-availability.storageDir", "s3://flink/ha");
    }
    return configuration;
  }
}
"""
_JOB = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
public class Job {
  private boolean streaming = true;
  public void start() throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(%s);
    env.addSource(new Orders()).uid("orders").print();
    env.execute("orders");
  }
}
"""


def cases() -> list[Case]:
    return [
        bad(
            _JOB % "Cluster.configuration(false)", file="Job.java", beside={"Cluster.java": _CLUSTER}, at="false",
            severity=Severity.WARNING, says="leaves out high-availability.type and 1 more",
        ),
        bad(_JOB % "Cluster.configuration(false)", file="src/Job.java", beside={"Cluster.java": _CLUSTER}),
        good(_JOB % "Cluster.configuration(streaming)", file="Job.java", beside={"Cluster.java": _CLUSTER}),
        good(
            _JOB % "Cluster.configuration(false)", file="Job.java",
            beside={
                "Cluster.java": _CLUSTER,
                "Other.java": (_JOB % "Cluster.configuration(true)").replace("class Job", "class Other"),
            },
        ),
    ]  # fmt: skip
