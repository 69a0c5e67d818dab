"""A variable in FLINK_PROPERTIES is defined nowhere.

## What it does
Reports `$NAME` and `${NAME}` in a value of `FLINK_PROPERTIES` that reach the container and that nothing there defines.

## Why it matters
The entrypoint runs `envsubst` over the text. A variable that is not set is replaced by nothing, without a word:
`s3.secret-key: pa$$word` in a Compose file leaves `pa`, a pattern loses its end, a path its folder.

## What to do
Define the variable in the `environment` of the same container. A dollar sign that is meant cannot be escaped for
`envsubst`: mount a configuration file, or give the setting as an argument `-Dkey=value`.

## Not when
- The variable is set in `environment`, `env` or a file of `env_file` beside it; or some of those cannot be read.
- It is one that the image, the shell or Kubernetes sets: `HOSTNAME`, `FLINK_HOME`, `KUBERNETES_SERVICE_HOST`, ...
- Compose fills it in (`${NAME}` with one dollar sign), or Kubernetes (`$(NAME)`).

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.18/docker-entrypoint.sh>: `envsubst < "${CONF_FILE}"`
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `value=$(echo $value | envsubst)`
- <https://docs.docker.com/reference/compose-file/interpolation/>: `$$` is a dollar sign in a Compose file
"""

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.settings._properties import WHEN


@rule(code="FLK032", severity=Severity.WARNING, confidence=Confidence.HIGH, when=WHEN, since="0.1")
def flink_properties_undefined_variable(config: View) -> Iterator[Finding]:
    """a variable in FLINK_PROPERTIES is defined nowhere"""
    for line in config.elements("property-line"):
        for place, variable in enumerate(line.items("undefined")):
            name = variable.text("")
            yield line.finding(
                f"nothing defines {name} in this container, so the image leaves nothing in its place in {line.name}",
                of=f"undefined[{place}]",
                key=line.name,
                help=f"define {name} in the environment of the container, or mount a configuration file",
            )


_COMPOSE = """services:
  jobmanager:
    image: flink:{}
    command: jobmanager
    environment:
      S3_SECRET: "x"
      FLINK_PROPERTIES: |
        rest.port: 8081
        {}
"""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE.format("1.18.1", "s3.secret-key: pa$$word"),
            file="docker-compose.yml",
            at="s3.secret-key",
            severity=Severity.WARNING,
            says="word",
        ),
        bad(
            """apiVersion: v1
kind: Pod
metadata:
  name: jm
spec:
  containers:
    - name: jobmanager
      image: flink:1.20.0
      args: ["jobmanager"]
      env:
        - name: FLINK_PROPERTIES
          value: "state.checkpoints.dir: s3://${BUCKET}/checkpoints"
""",
            file="pod.yaml",
            at="state.checkpoints.dir",
            says="BUCKET",
        ),
        good(_COMPOSE.format("1.18.1", "s3.secret-key: $${S3_SECRET}"), file="docker-compose.yml"),
        good(_COMPOSE.format("1.20.1", "s3.secret-key: ${SECRET_OF_THE_SHELL}"), file="docker-compose.yml"),
        good(_COMPOSE.format("1.20.1", "taskmanager.host: $${HOSTNAME}"), file="docker-compose.yml"),
        good(_COMPOSE.format("1.20.1", "rest.address: a$$-1$$"), file="docker-compose.yml"),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.20.1\n"
            "    env_file: x.env\n"
            "    command: jobmanager\n"
            "    environment:\n"
            '      S3_SECRET: "x"\n'
            "      FLINK_PROPERTIES: |\n"
            "        rest.port: 8081\n"
            "        s3.secret-key: $${X}\n",
            file="docker-compose.yml",
        ),
    ]
