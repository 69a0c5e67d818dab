"""A value does not arrive as it is written, because of what lies between the file and Flink.

## What it does
Takes values with variables (`${NAME}`) along the way that they go: Compose fills in its own variables, Kubernetes or
Compose make the environment, the entrypoint of the image fills variables in (which, and where, depends on the release),
and the reader of the release takes the result. Reports where what arrives is something else than what is meant:

- a variable of the container that stands in a file which nobody fills in: a ConfigMap, the settings of a custom
  resource, a mounted file from image 1.19 on, or one that the entrypoint cannot write to before;
- a variable whose value has a `#`, in `FLINK_PROPERTIES` or a mounted `flink-conf.yaml` of image 1.18 or older;
- a dollar sign in a mounted `flink-conf.yaml` of image 1.18 or older, which to the entrypoint begins a variable;
- a variable of the service that Compose fills in first, from its own variables, because only one `$` stands there.

## Why it matters
The author sees the file, Flink sees what is left of it. With this password in the `environment` of a service

    environment     S3_SECRET: "ab#12cd$"            8 characters, as meant
    flink-conf.yaml s3.secret-key: ${S3_SECRET}      a file that the service mounts

three images make three things of the same two lines:

    image 1.18, the folder mounted       ab             filled in, and the file ends a value at #
    image 1.18, the file mounted         ${S3_SECRET}   the entrypoint cannot replace a mounted file
    image 1.20, config.yaml              ${S3_SECRET}   variables count in FLINK_PROPERTIES alone

Up to 1.18 the entrypoint runs `envsubst` over all of `flink-conf.yaml`, so that `${NAME}` worked in it for years. From
1.19 on it does so for the lines of `FLINK_PROPERTIES` only: the upgrade of the image changes the secret into its name.
A ConfigMap cannot be written to at all, and that is where the operator puts `flinkConfiguration`. Flink itself fills in
nothing. No process says a word; the first request to the object store is refused, or the path has a `$` in it.

Rules on one file tell what is lost within it: blanks, comments and patterns of `FLINK_PROPERTIES`
(`flink-properties-spaces-stripped`, `-comment`, `-glob`, `-undefined-variable`), and a `#` that stands in the file
(`hash-truncates-value`). Here the value is in one file, the variable in another, and each is right.

## What to do
- Give the setting by `FLINK_PROPERTIES`, or as an argument of the command: `-Ds3.secret-key=$(S3_SECRET)`, which
  Kubernetes fills in.
- Credentials are better left to the platform: an account of the pod, `fs.s3a.aws.credentials.provider`.
- A value with `#` cannot come through `flink-conf.yaml`; use image 1.19 with `config.yaml`.
- In a Compose file write `$${NAME}` for a variable of the container.

## Not when
- Nothing in the container has the variable's name: then something else may fill the file in before it is applied (a
  pipeline, Helm, Argo).
- The image is built with the file in it, or is not known to have Flink's entrypoint: what it fills in is not known.
- The value of the variable comes from a Secret or from elsewhere: its `#` cannot be seen.
- The release of the image is not known.

## Sources
- <https://github.com/apache/flink-docker/blob/dev-1.18/docker-entrypoint.sh>: `envsubst < "${CONF_FILE}"`, then `mv`
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `process_flink_properties`
- <https://docs.docker.com/reference/compose-file/interpolation/>: what Compose fills in, and from where
- <https://kubernetes.io/docs/concepts/storage/volumes/#configmap>: a ConfigMap is always mounted read-only
- <https://github.com/apache/flink/blob/release-1.18/flink-core/src/main/java/org/apache/flink/configuration/GlobalConfiguration.java>:
  `loadYAMLResource` ends a value at #
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.flink.secrets import is_secret
from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.composites._transport import (
    Cut,
    Environment,
    Written,
    cut,
    environment_of,
    in_files,
    undefined,
    variables,
)


@rule(
    code="FLK060",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:container"],
    scope="project",
    compares=[],
    flink=">=1.9",
    since="0.1",
)
def value_lost_on_the_way(project: Project) -> Iterator[Finding]:
    """what lies between the file and Flink makes something else of a value"""
    told: set[tuple[str, int]] = set()
    for config in project.views:
        for container in config.elements("container") if _is_certain(config) else ():
            environment = environment_of(container)
            for finding in (*_lines(config, environment), *_files(config, environment)):
                place = finding.path, finding.span.start
                if place not in told:
                    told.add(place)
                    yield finding


def _is_certain(config: View) -> bool:
    """Whether Flink's own image of a known release, or the operator, decides what becomes of a value."""
    return config.platform == "operator" or config.document.release is not None


# -- FLINK_PROPERTIES


def _lines(config: View, environment: Environment) -> Iterator[Finding]:
    for line in config.elements("property-line"):
        value = line.text("value") or ""
        name = _filled_in_by_compose(config, environment, line, value)
        if name is not None:
            yield _emptied(environment, line, name)
        elif config.document.is_flink_conf:
            for one in cut(value, environment):
                yield line.finding(
                    _of_cut(one, line.name),
                    of="value",
                    key=line.name,
                    help=_HELP_CUT,
                    related=_of(environment, one.variable),
                )


def _filled_in_by_compose(config: View, environment: Environment, line: ElementView, value: str) -> str | None:
    """A variable of the service's environment that stands behind a single dollar sign in a Compose file."""
    if config.platform != "compose":
        return None
    span = line.span("value")
    written = config.document.text[span.start : span.end].replace("$$", "")
    named = variables(written)
    return next((name for name in variables(value) if name in named and environment.values.get(name)), None)


def _emptied(environment: Environment, line: ElementView, name: str) -> Finding:
    return line.finding(
        f"Compose fills {name} in before there is a container, from its own variables and .env, and not from the"
        f" environment of the service, which has it: without a {name} of its own {line.name} gets nothing in its place",
        of="value",
        key=line.name,
        help=f"write $${{{name}}}, which Compose hands on as ${{{name}}}",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        related=_of(environment, name),
    )


# -- files


def _files(config: View, environment: Environment) -> Iterator[Finding]:
    for written in in_files(config, environment.container):
        if written.is_filled:
            yield from _once_filled(config, environment, written)
            continue
        name = next((one for one in variables(written.text) if environment.has(one)), None)
        if name is not None:
            yield _literal(config, environment, written, name)


def _once_filled(config: View, environment: Environment, written: Written) -> Iterator[Finding]:
    for one in cut(written.text, environment):
        yield config.finding(
            _of_cut(one, written.key),
            span=written.span,
            key=written.key,
            help=_HELP_CUT,
            related=[*_of(environment, one.variable), *_mounted(written)],
            document=written.document,
        )
    for name in undefined(written.key, written.text, environment, config.index):
        # What nobody defines may be a part of the password.
        called = "what follows a $" if is_secret(written.key) else f"${name}"
        yield config.finding(
            f"the entrypoint of {config.releases_text} fills variables into all of flink-conf.yaml, and nothing"
            f" defines {called} in {environment.container.name}: it leaves nothing of it in {written.key}",
            span=written.span,
            key=written.key,
            help="define the variable for the container; a dollar sign cannot be written there before 1.19",
            severity=Severity.WARNING,
            related=[*_mounted(written), *_image(environment)],
            document=written.document,
        )


def _literal(config: View, environment: Environment, written: Written, name: str) -> Finding:
    advice = "write the value itself, let a pipeline fill it in, or leave credentials to the account of the pod"
    if written.mount is None:
        why = "the operator makes a ConfigMap of these settings, into which nothing fills variables"
    elif written.document.kind == "configmap":
        why = "a ConfigMap cannot be written to, so that the entrypoint fills nothing in"
        advice = f"give it by an argument of the command, -D{written.key}=$({name})"
    else:
        why = "the entrypoint cannot replace a file that is mounted itself or read-only, so that it fills nothing in"
        if config.since("1.19"):
            why = f"the image of {config.releases_text} fills variables into FLINK_PROPERTIES alone"
        advice = f"move {written.key} to FLINK_PROPERTIES, with two dollar signs before the variable"
    return config.finding(
        f"{environment.container.name} has the variable {name}, and {why}: Flink takes the variable's name for"
        f" {written.key}, instead of its value",
        span=written.span,
        key=written.key,
        help=advice,
        confidence=Confidence.MEDIUM,
        related=[*_of(environment, name), *_mounted(written), *(_image(environment) if written.mount else ())],
        document=written.document,
    )


_HELP_CUT = "use a value without #, or image 1.19 and later with config.yaml, which holds it in quotes"


def _of_cut(one: Cut, key: str) -> str:
    return (
        f"the value of {one.variable} has a # in it, and once it is filled in flink-conf.yaml ends there: of"
        f" {one.written} characters {one.kept} arrive as {key}"
    )


def _of(environment: Environment, name: str) -> list[Place]:
    return [environment.container.place(environment.attribute(name), f"the variable of {environment.container.name}")]


def _mounted(written: Written) -> list[Place]:
    return [written.mount.place("target", "brings the file")] if written.mount is not None else []


def _image(environment: Environment) -> list[Place]:
    container = environment.container
    return [container.place("image", "whose entrypoint it is")] if container.has("image") else []


_SERVICE = """services:
  jobmanager:
    image: flink:%s
    command: jobmanager
    environment:
      S3_SECRET: "%s"
%s"""
_PROPERTIES = "      FLINK_PROPERTIES: |\n        s3.secret-key: %s\n"
_CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata:
  name: flink
data:
  flink-conf.yaml: |
    s3.secret-key: ${S3_SECRET}
"""
_WORKLOAD = """---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: jobmanager
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.18.1
          args: [jobmanager]
          env:
            - name: %s
              valueFrom: {secretKeyRef: {name: s3, key: secret}}
          volumeMounts:
            - {name: config, mountPath: /opt/flink/conf}
      volumes:
        - name: config
          configMap: {name: flink}
"""
_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: shop/orders:7
  flinkVersion: v1_20
  flinkConfiguration:
    s3.secret-key: ${S3_SECRET}
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
          env:
            - name: %s
              valueFrom: {secretKeyRef: {name: s3, key: secret}}
  jobManager:
    resource: {memory: 2g, cpu: 1}
"""
_POD = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: jobmanager
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.20.4
          args: [jobmanager]
          env:
            - name: S3_SECRET
              value: abc
            - name: FLINK_PROPERTIES
              value: "s3.secret-key: ${S3_SECRET}"
"""


def cases() -> list[Case]:
    return [
        bad(
            _RESOURCE % "S3_SECRET",
            file="orders.yaml",
            at="s3.secret-key",
            severity=Severity.ERROR,
            says="jobmanager has the variable S3_SECRET, and the operator makes a ConfigMap of these settings",
        ),
        good(_RESOURCE % "S3_KEY", file="orders.yaml"),
        bad(_CONFIG_MAP + _WORKLOAD % "S3_SECRET", file="flink.yaml", at="s3.secret-key", says="cannot be written to"),
        good(_CONFIG_MAP + _WORKLOAD % "S3_KEY", file="flink.yaml"),
        bad(
            _SERVICE % ("1.18.1", "ab#c", _PROPERTIES % "$${S3_SECRET}"),
            file="docker-compose.yml",
            at="s3.secret-key",
            severity=Severity.ERROR,
            says="of 4 characters 2 arrive as s3.secret-key",
        ),
        good(_SERVICE % ("1.18.1", "abc", _PROPERTIES % "$${S3_SECRET}"), file="docker-compose.yml"),
        good(_SERVICE % ("1.20.4", "ab#c", _PROPERTIES % "$${S3_SECRET}"), file="docker-compose.yml"),
        bad(
            _SERVICE % ("1.20.4", "abc", _PROPERTIES % "${S3_SECRET}"),
            file="docker-compose.yml",
            severity=Severity.WARNING,
            at="s3.secret-key",
            says="Compose fills S3_SECRET in before there is a container",
        ),
        good(_SERVICE % ("1.20.4", "${S3_SECRET}", _PROPERTIES % "${S3_SECRET}"), file="docker-compose.yml"),
        good(_SERVICE % ("1.20.4", "abc", _PROPERTIES % "${S3_KEY}"), file="docker-compose.yml"),
        good(_POD, file="flink.yaml"),
        *cases_in_folders(__file__),
    ]
