"""One key is the beginning of another, and the image can write only one of them.

## What it does
Reports a key of `FLINK_PROPERTIES` that is the beginning of another one there, or of one in the `config.yaml` that the
image ships: `state.backend` beside `state.backend.incremental`, `high-availability` beside
`high-availability.storageDir`, `restart-strategy` beside `restart-strategy.fixed-delay.attempts`, `env.java.opts`. The
image has to be Flink's 1.19 or later.

## Why it matters
Since 1.19 the entrypoint has a program write `config.yaml` anew, with the keys nested by their words. A word can have a
value or keys below it, not both. Depending on the order in which the program meets the keys it drops the longer ones
without a word (no incremental checkpoints, no storage of high availability), or fails with
`ClassCastException: String cannot be cast to Map`; then the file stays as shipped, and no line of `FLINK_PROPERTIES`
counts. Flink starts either way. Up to 1.18 the text was appended to a flat file, where this is no matter.

## What to do
Use the new name of the shorter key: `state.backend.type`, `high-availability.type`, `restart-strategy.type`,
`execution.checkpointing.*`, `env.java.opts.all`. The fix renames it, and is
safe where the release is known.

## Not when
- The settings stand in a mounted `config.yaml` that the container cannot write to (a ConfigMap): nothing rewrites it.
- The image of 1.19 or 1.20 has a `flink-conf.yaml` in its configuration: the lines are written to this flat file.

## Sources
- <https://github.com/apache/flink/blob/release-1.20/flink-core/src/main/java/org/apache/flink/configuration/YamlParserUtils.java>:
  `convertAndDumpYamlFromFlatMap`
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: at each start
- <https://issues.apache.org/jira/browse/FLINK-29372>: names for options whose key begins others
"""

from collections.abc import Iterator, Sequence

from flink_flint.linter.flink.deployment.docker_image import collisions
from flink_flint.linter.model.rule import Case, Confidence, Finding, Fix, Severity, bad, good, rule
from flink_flint.linter.model.view import Setting, View
from flink_flint.rules.settings._properties import WHEN, are_nested

NEW_NAMES = {
    "state.backend": "state.backend.type",
    "high-availability": "high-availability.type",
    "restart-strategy": "restart-strategy.type",
    "env.java.opts": "env.java.opts.all",
}
"""The new names of options whose old ones are the beginning of others."""


@rule(code="FLK050", severity=Severity.ERROR, confidence=Confidence.HIGH, when=WHEN, flink=">=1.19", since="0.1")
def flink_properties_key_prefix(config: View) -> Iterator[Finding]:
    """one key of FLINK_PROPERTIES is the beginning of another: only one is written"""
    lines = {line.name: line for line in config.elements("property-line") if line.text("kind") == "setting"}
    if not are_nested(config):
        return
    told: dict[str, list[str]] = {}
    for collision in collisions(lines):
        if collision.shorter in lines:
            told.setdefault(collision.shorter, []).append(collision.longer)
        else:
            told.setdefault(collision.longer, []).append(collision.shorter)
    for key, others in told.items():
        line = lines[key]
        new = NEW_NAMES.get(key)
        also = f" and {len(others) - 1} more" if len(others) > 1 else ""
        shorter = others[0].startswith(key)
        what = f"{key} is the beginning of {others[0]}{also}" if shorter else f"{others[0]} is the beginning of {key}"
        setting = config.written(key) if key in config.effective else None
        yield line.finding(
            f"{what}, and the image cannot write both into one config.yaml: it drops one without a word, or fails and"
            " leaves out all of FLINK_PROPERTIES",
            of="key",
            key=setting.key if setting is not None else key,
            help=f"write {new}" if new else "leave one of them out, or mount a config.yaml that cannot be written to",
            fix=_renamed(config, setting, new, others) if setting is not None and new and new not in lines else None,
            related=[lines[other].place("key", "the other key") for other in others if other in lines],
        )


def _renamed(config: View, setting: Setting, new: str, others: Sequence[str]) -> Fix | None:
    """The new name, safe where it is certain that the release knows it (some came with 1.19).

    It makes the other keys count, too: with a value of theirs that Flink refuses, it is no better than before.
    """
    are_sound = all(config.written(key).error is None for key in others if key in config.effective)
    return setting.rename(new, safe=config.target.certain and are_sound)


_COMPOSE = """services:
  jobmanager:
    image: flink:{}
    command: jobmanager
    environment:
      - |
        FLINK_PROPERTIES=
        {}
        {}
"""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE.format("1.20.1", "state.backend: rocksdb", "state.backend.incremental: true"),
            file="docker-compose.yml",
            at="state.backend.type",
            severity=Severity.ERROR,
            says="state.backend.incremental",
            fixed=_COMPOSE.format("1.20.1", "state.backend.type: rocksdb", "state.backend.incremental: true"),
        ),
        bad(
            _COMPOSE.format("2.0.0", "high-availability.storageDir: s3://b/ha", "high-availability: zookeeper"),
            file="docker-compose.yml",
            says="high-availability.storageDir",
        ),
        bad(
            _COMPOSE.format("1.19.3", "rest.port: 8081", "env.java.opts: -Xlog:gc"),
            file="docker-compose.yml",
            says="env.java.opts.all",
        ),
        bad(
            _COMPOSE.format("1.20.1", "state.backend: rocksdb", "state.backend.incremental: yes"),
            file="docker-compose.yml",
            at="state.backend.type",
            says="state.backend.incremental",
        ),
        good(
            _COMPOSE.format("1.18.1", "state.backend: rocksdb", "state.backend.incremental: true"),
            file="docker-compose.yml",
        ),
        good(
            _COMPOSE.format("1.20.1", "state.backend.type: rocksdb", "state.backend.incremental: true"),
            file="docker-compose.yml",
        ),
        good(_COMPOSE.format("1.20.1", "state.backend: rocksdb", "state.backends: x"), file="docker-compose.yml"),
        good("state.backend: rocksdb\nstate.backend.incremental: true\n", flink="1.20"),
        bad(
            _COMPOSE.format("1.20.1", "state.backend: rocksdb", "state.backend.type: hashmap"),
            file="docker-compose.yml",
            fixed=_COMPOSE.format("1.20.1", "state.backend: rocksdb", "state.backend.type: hashmap"),
        ),
        bad(
            _COMPOSE.format("1.20.1", "myapp.a: 1", "myapp.a.b: 2"),
            file="docker-compose.yml",
            at="myapp.a",
            fixed=_COMPOSE.format("1.20.1", "myapp.a: 1", "myapp.a.b: 2"),
        ),
        good(_COMPOSE.format("1.20.1", "myapp.a: 1", "myapp.a.b=2"), file="docker-compose.yml"),
        good(
            _COMPOSE.format("1.20.1", "state.backend: rocksdb", "state.backend.incremental: true")
            + "    volumes:\n      - ./flink-conf.yaml:/opt/flink/conf/flink-conf.yaml\n",
            file="docker-compose.yml",
        ),
        bad(
            _COMPOSE.format("1.20.1", "rest.port: 8081", "parallelism.default.max: 8"),
            file="docker-compose.yml",
            at="parallelism.default.max",
            says="parallelism.default is the beginning of parallelism.default.max",
        ),
    ]
