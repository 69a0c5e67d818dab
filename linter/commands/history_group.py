"""`flint history`, `flint recommend` and `flint backtest`: the arguments of the commands.

Commands receive the function that prints messages as click's object, which `linter.commands.main` sets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

PrintMessage = Callable[..., None]

_SPARK_OPTIONS = (
    click.option("--master", metavar="M", help="Spark's master: local[4], spark://host:7077, yarn, k8s://…"),
    click.option("--remote", metavar="R", help="A Spark Connect server: sc://host:15002."),
    click.option("--conf", multiple=True, metavar="KEY=VALUE", help="A setting for Spark; repeatable."),
)


def _spark_options(command: Any) -> Any:
    for option in reversed(_SPARK_OPTIONS):
        command = option(command)
    return command


_ADDRESS_OPTIONS = (
    click.option("--from", "from_", metavar="T", help="Prometheus: since when (default: where the store ends)."),
    click.option("--to", metavar="T", help="Prometheus: until when (default: now)."),
    click.option("--selector", metavar="S", help="""Prometheus: which series, like '{namespace="streaming"}'."""),
    click.option("--metrics", metavar="REGEX", help="Prometheus: names of metrics (default: flink_.+)."),
    click.option("--step", type=click.IntRange(min=1), metavar="SECONDS",
                 help="Prometheus: resolution, where it gives no raw samples (default: 60)."),
    click.option("--tenant", metavar="ID", help="Mimir, Cortex: X-Scope-OrgID."),
    click.option("--dedup", type=click.Choice(["true", "false"]), help="Thanos: dedup."),
    click.option("--for", "for_", type=click.FloatRange(min=0), default=600.0, metavar="SECONDS",
                 help="Flink: how long to ask (default: 600)."),
    click.option("--every", type=click.FloatRange(min=1), default=10.0, metavar="SECONDS",
                 help="Flink: how often to ask (default: 10)."),
    click.option("--timeout", type=click.FloatRange(min=0.1), metavar="SECONDS", help="How long an answer may take."),
    click.option("--user", metavar="NAME", help="For basic authentication, with --password-file."),
    click.option("--password-file", metavar="FILE", help="The file that holds the password."),
    click.option("--token-file", metavar="FILE", help="The file that holds a bearer token."),
    click.option("--ca-file", metavar="FILE", help="Certificates (PEM) to trust instead of the system's."),
    click.option("--certificate", metavar="FILE", help="The client's certificate (PEM)."),
    click.option("--key", metavar="FILE", help="The client's key (PEM), unless it is with the certificate."),
    click.option("--insecure", is_flag=True, help="Take any certificate."),
)  # fmt: skip


def _address_options(command: Any) -> Any:
    for option in reversed(_ADDRESS_OPTIONS):
        command = option(command)
    return command


@click.group(short_help="Keep what jobs did: import metrics, see what is there.")
def history() -> None:
    """Manage a store of job metrics, which `flint recommend` and `flint check --history` read."""


@history.command("import", short_help="Import metrics of any kind into a store.")
@click.argument("address", metavar="SOURCE")
@click.option("--into", required=True, metavar="STORE", help="The folder of the store; made where it is missing.")
@click.option("--source", "source", metavar="KIND", help="What kind of files these are, where flint cannot tell.")
@click.option("--cluster", metavar="NAME", help="The cluster all samples belong to.")
@click.option("--cluster-label", metavar="LABEL", help="The label that names the cluster.")
@click.option("--time", metavar="T", help="When a scrape without timestamps was taken.")
@click.option("--again", is_flag=True, help="Read files again that were imported and have not changed.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@_address_options
@_spark_options
@click.pass_obj
def import_(print_message: PrintMessage, /, **given: Any) -> None:
    """Import SOURCE: a file, a directory, or the address of a Prometheus server or a Flink cluster.

    KIND is one of canonical-csv, canonical-json-lines, canonical-parquet, cloudwatch, exposition, flink-rest,
    history-archive, influx, prometheus-answers, slf4j-log, statsd and victoriametrics-export; for files it is detected
    from their contents. Importing the same data again changes nothing; new data is added. Passwords and tokens may also
    be given in FLINT_PROMETHEUS_TOKEN, or FLINT_PROMETHEUS_USER and FLINT_PROMETHEUS_PASSWORD.
    """
    from flink_flint.linter.commands.history import run_import

    sys.exit(run_import(given.pop("address"), given, print_message))


@history.command(short_help="Show what a store holds.")
@click.argument("store")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.pass_obj
def status(print_message: PrintMessage, /, store: str, output_format: str) -> None:
    """Show the contents of STORE: jobs by day, gaps, sizes."""
    from flink_flint.linter.commands.history import run_status

    sys.exit(run_status(store, output_format, print_message))


@history.command(short_help="Let old samples go, and age what is older.")
@click.argument("store")
@click.option(
    "--keep-samples",
    type=click.IntRange(min=0),
    default=14,
    show_default=True,
    metavar="DAYS",
    help="Keep samples this long; later data for a day without them cannot be added.",
)
@click.option(
    "--keep-slots",
    type=click.IntRange(min=0),
    default=60,
    show_default=True,
    metavar="DAYS",
    help="Keep slots of five minutes this long; then they become hours.",
)
@click.option("--keep", type=click.IntRange(min=1), metavar="DAYS", help="Forget days older than this.")
@_spark_options
@click.pass_obj
def compact(print_message: PrintMessage, /, store: str, **given: Any) -> None:
    """Remove old samples from STORE and aggregate older data. Percentiles are preserved: daily histograms are kept."""
    from flink_flint.linter.commands.history import run_compact

    sys.exit(run_compact(store, given, print_message))


@click.command(short_help="What values should be, from what jobs did.")
@click.option("--history", required=True, metavar="STORE", help="The store: `flint history import` makes one.")
@click.option("--job", multiple=True, metavar="NAME", help="Only this job; repeatable.")
@click.option("--calculator", multiple=True, metavar="NAME", help="Only what this calculator answers; repeatable.")
@click.option("--cluster", metavar="NAME", help="Only this cluster.")
@click.option("--config", multiple=True, metavar="FILE", help="The Flink configuration in force; repeatable.")
@click.option("--flink-version", metavar="V", help="Release to spell settings for.")
@click.option("--window", metavar="DAYS", help="How far back to look (default: 30d).")
@click.option("--half-life", metavar="DAYS", help="After how long a day counts half.")
@click.option("--until", metavar="DATE", help="Look no further than this day.")
@click.option("--output-format", type=click.Choice(["text", "json", "markdown", "patch"]), default="text")
@click.option("--output-file", "-o", metavar="F", help="Write there instead.")
@click.option("--diff", is_flag=True, help="Show what --write would change in the configurations given.")
@click.option("--write", is_flag=True, help="Change the configurations given.")
@click.option("--report", metavar="FILE.html", help="Write a page with what was observed, too.")
@click.option("--explain", is_flag=True, help="Show the evidence of each recommendation.")
@_spark_options
@click.pass_obj
def recommend(print_message: PrintMessage, /, **given: Any) -> None:
    """Recommend settings for every job, with the current values and the evidence.

    Nothing is recommended from less than ten minutes or sixty samples; missing data is reported.
    """
    from flink_flint.calculators.recommend.run_recommend import run_recommend

    sys.exit(run_recommend(given, print_message))


@click.command(short_help="How good would recommendations have been? Learn on the past, judge on what came after.")
@click.option("--traces", metavar="DIR", help="A folder of CSV files with timestamp and value.")
@click.option("--history", "store", metavar="STORE", help="A store of history, instead of traces.")
@click.option("--job", multiple=True, metavar="NAME", help="With --history: only this job; repeatable.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option("--report", metavar="FILE.html", help="Write the table and the trade-off curve as a page too.")
@click.pass_obj
def backtest(print_message: PrintMessage, /, traces: str | None, store: str | None, **given: Any) -> None:
    """Evaluate flint's methods and the named baselines on known demand: learn from 14 days, apply to one, and slide on.

    U is the share of time above capacity, lag the share of time a queue is more than five minutes behind, slack the
    unused capacity.
    """
    from flink_flint.linter.commands.backtest import run_backtest

    sys.exit(run_backtest(traces, store, given, print_message))


COMMANDS: dict[str, click.Command] = {"backtest": backtest, "history": history, "recommend": recommend}
