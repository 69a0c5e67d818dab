"""File formats that contain Flink configuration, one package per family.

A module that is listed in `_TABLE` defines `FILE_FORMAT`, an instance of `linter.model.document.FileFormat`. The table
is in the order of recognition, the most specific format first. Each row has the endings of file names and a list of
words; the beginning of a file must contain one of them. These cheap tests avoid importing formats that are not needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from flink_flint.linter.model.document import FileFormat
from flink_flint.linter.model.evidence import Evidence, certain
from flink_flint.linter.text.named_tuple import NamedTuple

_TEMPLATES = (".j2", ".tpl", ".erb", ".tmpl", ".gotmpl", ".tftpl", ".tfpl", ".ftl", ".mustache")
_YAML_TEMPLATES = tuple(f".yaml{ending}" for ending in (".tpl", ".tftpl", ".tfpl", ".tmpl", ".template"))
_YAML = (".yaml", ".yml")
_MARKS = (".", "-", "_")
"""What separates a name without a file extension from its suffix."""

_JOB_WORDS = (
    "taskmanager", "jobmanager", "numberOfTaskSlots", "parallelism.default", "checkpointing", "state.backend",
    "state.checkpoints", "state.savepoints", "savepoint-dir", "restart-strategy", "high-availability", "runtime-mode",
    "object-reuse", "max-parallelism", "state-recovery",
)  # fmt: skip
"""Parts of Flink's keys that rarely occur in a job's configuration by chance."""


class Recognized(NamedTuple):
    """The format of a file, and the evidence that the file belongs to Flink."""

    file_format: FileFormat
    evidence: Evidence


class _Row(NamedTuple):
    module: str
    endings: tuple[str, ...]
    words: tuple[str, ...] = ()


_TABLE = (
    _Row("job_config.hocon_job_config", (".conf", ".hocon"), _JOB_WORDS),
    _Row("flink_files.flink_conf", (*_YAML, ".conf", *_TEMPLATES, "flink-conf.yaml"), ()),
    _Row("kustomize.kustomization", ("kustomization.yaml", "kustomization.yml"), ("flink", "Flink")),
    _Row("kustomize.json_patch_file", (*_YAML, ".json"), ("/spec/flinkConfiguration",)),
    _Row("flink_files.config_yaml", ("config.yaml",), ()),
    _Row("terraform.terraform", (".json",), ("planned_values",)),
    _Row("kubernetes.manifests", (*_YAML, ".json", *_TEMPLATES, ".yaml.template"), ("apiVersion",)),
    _Row("aws.cloud_formation", (*_YAML, ".json", ".template"), ("AWS::", "RuntimeEnvironment")),
    _Row(
        "terraform.terraform",
        (".tf", ".tf.json"),
        (
            "_kinesisanalyticsv2_application",
            "lassification",
            "_kinesis_stream",
            "aws_s3_bucket",
            "kubernetes_",
            "kubectl_manifest",
            "helm_release",
            "kinesis:",
            "kafka-cluster:",
        ),
    ),
    _Row("aws.emr", (*_YAML, ".json"), ("lassification",)),
    _Row("helm.ververica_values", (*_YAML, *_TEMPLATES), ("globalDeploymentDefaults",)),
    _Row("containers.compose", _YAML, ("services",)),
    _Row("containers.dockerfile", ("Dockerfile", "dockerfile", "Containerfile"), ("FROM", "from")),
    _Row("helm.helm_values", (*_YAML, ".gotmpl", *_YAML_TEMPLATES), ("flink", "Flink", "operatorHealth")),
    _Row("flink_files.config_yaml", (*_YAML, *_TEMPLATES), ()),
    _Row(
        "sql.sql_script",
        (".sql",),
        ("WITH", "with", "SET", "set", "TABLE", "table", "OPTIONS", "With", "Set", "PROCTIME"),
    ),
    _Row(
        "source.jvm_program",
        (".java", ".scala", ".sc", ".kt", ".kts"),
        ("org.apache.flink", "kinesis.connectors.flink", "beam.runners.flink"),
    ),
    _Row("source.python_program", (".py",), ("pyflink", "apache_beam")),
    _Row(
        "infrastructure_code.literal_objects",
        (".ts", ".js", ".mjs", ".py", ".jsonnet", ".libsonnet"),
        (
            "linkApplicationConfiguration",
            "flink_application_configuration",
            "flink.apache.org/",
            "kinesisanalytics-flink",
            "kinesisanalytics_flink",
            "kinesis:",
            "kafka-cluster:",
        ),
    ),
    _Row("shell.python_commands", (".py",), ("bash_command", "subprocess", "os.system", "application_file")),
    _Row("notebooks.notebook", (".ipynb", ".zpln"), ("flink",)),
    _Row("logging.logging_properties", (".properties",), ("rootLogger", "rootCategory", "log4j.", "appender.")),
    _Row(
        "builds.build_file",
        ("pom.xml", "build.gradle", "build.gradle.kts"),
        ("org.apache.flink", "com.ververica"),
    ),
    _Row("logging.logging_tree", (".xml", *_YAML, ".json"), ("onfiguration",)),
    _Row("job_config.java_properties", (".properties",), (*_JOB_WORDS, "flink.stream.", "flink.shard.", "flink.list.")),
    _Row("job_config.toml_job_config", (".toml",), _JOB_WORDS),
    _Row("job_config.yaml_job_config", (*_YAML, ".json"), (*_JOB_WORDS, "PropertyGroupId")),
    _Row(
        "shell.shell_script",
        (".sh", ".bash", ".mk", "Makefile", "Jenkinsfile", *_YAML),
        ("flink", "session.sh", "cluster.sh"),
    ),
)


@cache
def _file_format(module: str) -> FileFormat:
    found: FileFormat = import_module(f"{__name__}.{module}").FILE_FORMAT
    return found


def file_formats() -> tuple[FileFormat, ...]:
    """Return all file formats, in the order in which files are matched against them."""
    return tuple(_file_format(module) for module in dict.fromkeys(row.module for row in _TABLE))


def format_of_module(module: str) -> FileFormat:
    """Return the file format that a module of this package defines, given its name (`flink_files.flink_conf`)."""
    return _file_format(module)


def module_of_format(file_format: FileFormat) -> str | None:
    """Return the name (`flink_files.flink_conf`) of the module that defines a file format; None if it is not listed.

    Modules of other formats are not imported.
    """
    module = type(file_format).__module__.removeprefix(f"{__name__}.")
    is_listed = any(row.module == module for row in _TABLE)
    return module if is_listed and _file_format(module) is file_format else None


def is_candidate(name: str) -> bool:
    """Return whether a file with this name may belong to one of the formats."""
    return name.endswith(_ENDINGS) or name.startswith(_NAMES)


def file_format_of(name: str, head: str, *, trust_name: bool = False) -> FileFormat | None:
    """Return the format of a file, detected from its name and its first characters (`head`), or None if none matches.

    With `trust_name` (the user named this file explicitly), the name alone is enough.
    """
    found = recognize(name, head, trust_name=trust_name)
    return None if found is None else found.file_format


def recognize(path: str, head: str, *, trust_name: bool = False) -> Recognized | None:
    """Return the format of a file and the evidence that the file is Flink's, from its path and first characters.

    With `trust_name` the name alone is enough. None if there is too little evidence for every format.
    """
    name = os.path.basename(path)
    if trust_name:
        for file_format in _fitting(name, None):
            if file_format.named(name):
                return Recognized(file_format, certain(f"named {name}"))
    for file_format in _fitting(name, head):
        evidence = file_format.weigh(path, head)
        if evidence.is_sufficient:
            return Recognized(file_format, evidence)
    return None


def format_of_kind(kind: str, path: str) -> FileFormat | None:
    """Return the format of a kind: one that fits the file name if possible, otherwise the first; None if unknown."""
    fitting = [one for one in _fitting(os.path.basename(path), None) if one.kind == kind]
    return next((one for one in (*fitting, *file_formats()) if one.kind == kind), None)


def kinds() -> tuple[str, ...]:
    """Return the distinct names of all file kinds."""
    return tuple(dict.fromkeys(one.kind for one in file_formats()))


def _fitting(name: str, head: str | None) -> Iterator[FileFormat]:
    base = _without_template(name)
    for row in _TABLE:
        if (name.endswith(row.endings) or base.endswith(row.endings) or _is_like(name, row)) and (
            head is None or not row.words or any(word in head for word in row.words)
        ):
            yield _file_format(row.module)


def _without_template(name: str) -> str:
    for ending in _TEMPLATES:
        if name.endswith(ending):
            return name[: -len(ending)]
    return name


def _is_like(name: str, row: _Row) -> bool:
    """Return whether a name is one of the row's without an extension, with a suffix (``Dockerfile.prod``)."""
    names = [ending for ending in row.endings if not ending.startswith(".")]
    return any(name.startswith(f"{one}{mark}") for one in names for mark in _MARKS)


_NAMES = tuple({
    f"{ending}{mark}" for row in _TABLE for ending in row.endings if not ending.startswith(".") for mark in _MARKS
})  # fmt: skip
_ENDINGS = tuple({ending for row in _TABLE for ending in row.endings} | set(_TEMPLATES))
