"""Pipelines of Apache Beam, and where their jobs run."""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.view import ElementView, View

_LOCAL = ("[local]", "[auto]", "[collection]", "")
MORE = "more"
"""The attribute of a pipeline that may have other options."""


def pipelines(config: View) -> Iterator[ElementView]:
    """Yield the pipelines of a document that run on Flink, or on a job server."""
    return (one for one in config.elements("beam-pipeline") if one.name in ("FlinkRunner", "PortableRunner", ""))


def remote_master(pipeline: ElementView) -> str | None:
    """Return the address of the cluster that a pipeline's job is submitted to; None if there is none or it is local."""
    master = pipeline.text("flink_master")
    if master is None or master in _LOCAL:
        return None
    host = master.removeprefix("http://").removeprefix("https://").partition(":")[0]
    return None if host in ("localhost", "127.0.0.1", "0.0.0.0") else master


def is_streaming(config: View, pipeline: ElementView) -> bool:
    """Return whether a pipeline certainly runs without an end."""
    if pipeline.has("streaming"):
        return pipeline.flag("streaming") is True
    return any(one.has("unbounded") for one in config.elements("beam-transform"))


def pipeline(options: str, transform: str = "beam.io.ReadFromPubSub(subscription=s)") -> str:
    """Return a Python program with a pipeline of the given options, for the cases of rules."""
    return (
        "import apache_beam as beam\nfrom apache_beam.io.kafka import ReadFromKafka\n"
        "from apache_beam.options.pipeline_options import PipelineOptions\n"
        f"options = PipelineOptions({options})\nwith beam.Pipeline(options=options) as p:\n"
        f"    p | {transform} | beam.Map(print)\n"
    )
