"""One option is set under two of its names, and only one of them counts.

## What it does
Reports a line that loses to another spelling of the same option in the same file: an old name beside the new
one, two old names, or an entry of a map (`kubernetes.jobmanager.labels.app`) beside the map itself.

## Why it matters
The order of the lines does not matter, and Flink logs nothing when both are there. The primary key wins, then
the aliases in an order of the option's own. Whoever edits the other line sees no effect.

## What to do
Keep one spelling. The fix deletes the line that loses; Flink reads the same as before.

## Not when
- Both give the same value: advice.
- The line is the primary key of another option that is merely read as a fallback (`rest.port` beside
  `rest.bind-port`), or serves several options of which one still reads it.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/config/>: the names of today
- <https://github.com/apache/flink/blob/master/flink-core/src/main/java/org/apache/flink/configuration/Configuration.java>:
  the order in which names are tried
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_ignores
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.settings._keys import accepted_by_all, loses_everywhere, same_value, shown


@rule(
    code="FLK006",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    always=True,
    when=["element:kubernetes-object", "element:container"],
    since="0.1",
)
def alias_conflict(config: View) -> Iterator[Finding]:
    """an option is set under two names, and this one loses"""
    for key in _rivals(config):
        stronger = config.configuration.overridden_by(key)
        if stronger is None:
            continue
        setting, other = config.written(key), config.written(stronger)
        assert other.entry is not None
        if other.entry.style == "implied":
            continue  # what a typed field of a custom resource overrides is FLK708's
        same = same_value(config, setting, other)
        yield setting.finding(
            f"{stronger} sets the same option, to {shown(other.text)}, and wins; {shown(setting.text)} here does"
            " nothing, and nothing is logged",
            at="entry",
            help=f"delete this line; {stronger} already says the same" if same else _keep(config, key, stronger),
            severity=Severity.INFO if same else None,
            fix=setting.remove(safe=True) if loses_everywhere(config, key) else None,
            related=[other],
            evidence={"wins": stronger},
        )


def _keep(config: View, key: str, stronger: str) -> str:
    """Which of two spellings to keep: the one that wins, unless only the other one is read by all releases."""
    if accepted_by_all(config, key) and not accepted_by_all(config, stronger):
        return f"keep only {key}, with the value that is meant: older releases do not read {stronger}"
    return f"keep only {stronger}"


def _rivals(config: View) -> list[str]:
    """The written keys that may stand for an option another key stands for as well."""
    effective, options = dict.fromkeys(config.document.effective), config.catalogue
    by_option: dict[str, list[str]] = {}
    rivals: dict[str, None] = {}
    for key in effective:
        for name in options.current_names(key):
            by_option.setdefault(name, []).append(key)
        parent = key.rpartition(".")[0]
        while parent:
            if parent in effective:
                rivals[key] = None
            parent = parent.rpartition(".")[0]
    for keys in by_option.values():
        if len(keys) > 1:
            rivals.update(dict.fromkeys(keys))
    return list(rivals)


_RESOURCE = """apiVersion: %s
metadata: {name: a}
spec:
  image: %s
  flinkVersion: %s
  %s:
    state.backend.fs.checkpointdir: s3://a/b
    state.checkpoints.dir: s3://a/c
"""
_APACHE = ("flink.apache.org/v1beta1\nkind: FlinkDeployment", "a/b:1", "v1_18", "flinkConfiguration")
_LYFT = ("flink.k8s.io/v1beta1\nkind: FlinkApplication", "a/b:1", '"1.12"', "flinkConfig")
_GOOGLE = ("flinkoperator.k8s.io/v1beta1\nkind: FlinkCluster", "{name: a/b}", '"1.12"', "flinkProperties")


def cases() -> list[Case]:
    return [
        bad(
            "pekko.framesize: 10m\nakka.framesize: 20m\n",
            at="akka.framesize: 20m",
            flink="1.20",
            file="flink-conf.yaml",
            severity=Severity.ERROR,
            fixed="pekko.framesize: 10m\n",
        ),
        bad("akka.framesize: 20m\npekko.framesize: 20m\n", severity=Severity.INFO, fixed="pekko.framesize: 20m\n"),
        bad(
            "taskmanager.memory.managed.size: 1g\ntaskmanager.memory.size: 1024m\n",
            flink="1.18",
            severity=Severity.INFO,
        ),
        bad(
            "state.backend: hashmap\nstate.backend.type: rocksdb\n",
            file="flink-conf.yaml",
            severity=Severity.WARNING,
            fixed="state.backend: hashmap\nstate.backend.type: rocksdb\n",
        ),
        bad(
            "kubernetes.jobmanager.labels: a:b\nkubernetes.jobmanager.labels.c: d\n",
            at="kubernetes.jobmanager.labels.c: d",
            flink="1.18",
            fixed="kubernetes.jobmanager.labels: a:b\n",
        ),
        bad(
            "taskmanager.memory.network.min: 256m\ntaskmanager.network.memory.min: 256mb\n",
            flink="1.18",
            severity=Severity.INFO,
        ),
        *(
            bad(_RESOURCE % kind, file="a.yaml", at="state.backend.fs.checkpointdir: s3://a/b", severity=Severity.ERROR)
            for kind in (_APACHE, _LYFT, _GOOGLE)
        ),
        good("state.backend: hashmap\nstate.backend.type: rocksdb\n", flink="1.16"),
        good("rest.port: 8081\nrest.bind-port: 8082\njobmanager.rpc.address: jm\nrest.address: jm2\n", flink="1.18"),
        good("rest.bind-port: 8081\nweb.port: 8082\n", flink="1.18"),
        good(
            "state.backend: rocksdb\nstate.backend.incremental: true\nenv.java.opts: -Da=b\n"
            "env.java.opts.client: -Dc=d\n",
            flink="1.18",
        ),
        bad(
            "pekko.framesize: ${F}\nakka.framesize: 20m\n",
            flink="1.20",
            file="flink-conf.yaml",
            severity=Severity.ERROR,
        ),
        bad(
            "pekko.framesize: 20m\nakka.framesize: ${F}\n",
            flink="1.20",
            file="flink-conf.yaml",
            severity=Severity.ERROR,
        ),
        bad(
            "pekko.framesize: ${F}\nakka.framesize: ${F}\n",
            flink="1.20",
            file="flink-conf.yaml",
            severity=Severity.INFO,
        ),
        bad(
            "taskmanager.memory.managed.size: ${M}\ntaskmanager.memory.size: ${M}\n",
            flink="1.18",
            severity=Severity.INFO,
        ),
        bad(
            "task.cancellation.interval: soon\ntask.cancellation-interval: 30\n", flink="1.18", severity=Severity.ERROR
        ),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata:\n  name: a\nspec:\n"
            "  flinkVersion: v1_18\n  flinkConfiguration:\n    kubernetes.jobmanager.cpu: '2'\n  jobManager:\n"
            "    resource:\n      cpu: 1\n      memory: 2g\n",
            file="deployment.yaml",
        ),
        bad(
            "myapp: 1\nakka.framesize: 20m\npekko.framesize: 10m\n",
            flink="1.20",
            file="flink-conf.yaml",
            at="akka.framesize: 20m",
        ),
        bad(
            "kubernetes.jobmanager.labels: a:b\nkubernetes.jobmanager.labels.acme.io/team: d\n",
            flink="1.18",
            at="kubernetes.jobmanager.labels.acme.io/team: d",
        ),
    ]


def claims() -> list[Claim]:
    return [
        flink_ignores(
            "state backend",
            "state.backend: rocksdb\n",
            both="state.backend.type: hashmap\n",
            releases=">=1.17",
        ),
        flink_ignores(
            "checkpoint storage",
            "state.checkpoints.dir: file:///data/a\n",
            both="execution.checkpointing.dir: file:///data/b\n",
            releases=">=1.20",
        ),
    ]
