"""A job is restored from a savepoint, and its operators have no IDs.

## What it does
Looks for programs whose operators with state have no `uid`, and that a custom resource runs with
`initialSavepointPath`, or a script with `flink run -s`. Where the resource has only `upgradeMode: savepoint` or
`last-state`, it is a suggestion.

## Why it matters
State belongs to the ID of its operator. Without a `uid` Flink makes the ID of the shape of the whole job: another
parallelism that changes chains, a new operator, a sink in another place, and the IDs differ. The restore then fails
with `Cannot map checkpoint/savepoint state for operator ... to the new program, because the operator is not available
in the new program`.

## What to do
Give each operator with state `.uid("...")`, take a new savepoint with that version, and go on from it. For the
savepoint that is there, run the program that made it, or allow state that is not restored (`-n`,
`allowNonRestoredState`), which loses it.

## Not when
All operators with state have IDs, or the program is not known to be the one that is restored.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/savepoints/#assigning-operator-ids>: what
  generated IDs depend on
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.dataflow._programs import java_job

_RESOURCES = ("FlinkDeployment", "FlinkSessionJob")


@rule(
    code="FLK451",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    when=["element:operator"],
    scope="project",
    compares=["folder", (["element:operator"], ["element:kubernetes-object/FlinkDeployment"])],
    flink=">=1.0",
    since="0.1",
)
def restored_without_uid(project: Project) -> Iterator[Finding]:
    """a job is restored from a savepoint, and its operators have no IDs"""
    for view in project.views:
        nameless = [one for one in view.elements("operator") if not one.has("uid")]
        if not nameless or view.document.purpose == "test" or not view.elements("job"):
            continue
        found = _restore(project, view)
        if found is None:
            continue
        part, of = found
        certain = of.endswith("initialSavepointPath") or part.kind == "command"
        how = "restored from a savepoint" if certain else f"upgraded by {of.rpartition('.')[2]}: {part.text(of)}"
        yield nameless[0].finding(
            f"the operator of {nameless[0].name} has no uid, and the job is {how}: if its parallelism or shape has"
            ' changed, the restore fails with "Cannot map checkpoint/savepoint state"',
            help='give each operator with state a .uid("...")',
            related=[part.place(of), *(one.place() for one in nameless[1:4])],
            severity=None if certain else Severity.INFO,
        )


def _restore(project: Project, view: View) -> tuple[ElementView, str] | None:
    """Return what restores the job of a program: an element, and the attribute that says so."""
    names = {job.name.lower() for job in view.elements("job") if job.name}
    base = project.base_of(view)
    for other in project.views:
        for part in other.elements("kubernetes-object"):
            if part.name not in _RESOURCES or not (other is base or _program(part) & names):
                continue
            for of in ("spec.job.initialSavepointPath", "spec.job.upgradeMode"):
                value = part.text(of)
                if value and value != "stateless":
                    return part, of
        for part in other.elements("command"):
            for of in ("options.fromSavepoint", "options.s"):
                if part.text(of) and (part.text("options.class") or "").rpartition(".")[2].lower() in names:
                    return part, of
    return None


def _program(part: ElementView) -> set[str]:
    """Return the names of the class and JAR that a resource runs, in lower case."""
    entry, jar = part.text("spec.job.entryClass") or "", part.text("spec.job.jarURI") or ""
    found = {entry.rpartition(".")[2].lower()} if entry else {jar.rpartition("/")[2].removesuffix(".jar").lower()}
    return found - {""}


_STREAM = '.keyBy(o -> o.shop).sum("n")%s.addSink(sink)%s'
_NAMED = _STREAM % ('.uid("sum")', '.uid("sink")')
_BARE = _STREAM % ("", "")


def _resource(job: str) -> str:
    return (
        "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: orders}\nspec:\n"
        "  image: flink:1.20\n  flinkVersion: v1_20\n  serviceAccount: flink\n"
        "  jobManager: {resource: {memory: 1g, cpu: 1}}\n  taskManager: {resource: {memory: 1g, cpu: 1}}\n"
        f"  job:\n    jarURI: local:///opt/flink/usrlib/Job.jar\n    {job}\n"
    )


_SAVEPOINT = "initialSavepointPath: s3://flink/savepoints/savepoint-1\n    upgradeMode: savepoint"


def cases() -> list[Case]:
    return [
        bad(
            java_job("", stream=_BARE), file="Job.java", beside={"job.yaml": _resource(_SAVEPOINT)}, at="sum",
            severity=Severity.WARNING, says="restored from a savepoint",
        ),
        bad(
            java_job("", stream=_BARE), file="Job.java",
            beside={"job.yaml": _resource("upgradeMode: last-state")}, severity=Severity.INFO,
        ),
        good(java_job("", stream=_NAMED), file="Job.java", beside={"job.yaml": _resource(_SAVEPOINT)}),
        good(
            java_job("", stream=_BARE), file="Job.java", beside={"job.yaml": _resource("upgradeMode: stateless")}
        ),
        good(
            java_job("", stream=_BARE), file="Job.java",
            beside={"job.yaml": _resource(_SAVEPOINT).replace("usrlib/Job.jar", "usrlib/other.jar")},
        ),
    ]  # fmt: skip
