"""The command-line interfaces of `flint history`, `flint recommend` and `flint backtest`.

Commands receive the function that prints messages as click's object, which `linter.commands.main` sets.
"""

from __future__ import annotations

import sys
from typing import Any

import click

from flink_flint.linter.commands.errors import PrintMessage

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
    click.option("--from", "start", metavar="T", help="Prometheus: start time (default: where the store ends)."),
    click.option("--to", "end", metavar="T", help="Prometheus: end time (default: now)."),
    click.option("--selector", metavar="S", help="""Prometheus: series selector, such as '{namespace="streaming"}'."""),
    click.option("--metrics", metavar="REGEX", help="Prometheus: metric names (default: flink_.+)."),
    click.option("--step", type=click.IntRange(min=1), metavar="SECONDS",
                 help="Prometheus: resolution without raw samples (default: 60)."),
    click.option("--tenant", metavar="ID", help="Mimir, Cortex: tenant (X-Scope-OrgID)."),
    click.option("--dedup", type=click.Choice(["true", "false"]), help="Thanos: deduplicate replicas."),
    click.option("--for", "duration", type=click.FloatRange(min=0), default=600.0, metavar="SECONDS",
                 help="Flink: how long to collect metrics (default: 600)."),
    click.option("--every", type=click.FloatRange(min=1), default=10.0, metavar="SECONDS",
                 help="Flink: polling interval (default: 10)."),
    click.option("--timeout", type=click.FloatRange(min=0.1), metavar="SECONDS", help="Timeout of a request."),
    click.option("--user", metavar="NAME", help="User for basic authentication, with --password-file."),
    click.option("--password-file", metavar="FILE", help="Read the password from this file."),
    click.option("--token-file", metavar="FILE", help="Read a bearer token from this file."),
    click.option("--ca-file", metavar="FILE", help="CA certificates (PEM) to trust instead of the system's."),
    click.option("--certificate", metavar="FILE", help="Client certificate (PEM)."),
    click.option("--key", metavar="FILE", help="Client key (PEM), unless it is in the certificate file."),
    click.option("--insecure", is_flag=True, help="Do not verify certificates."),
)  # fmt: skip


def _address_options(command: Any) -> Any:
    for option in reversed(_ADDRESS_OPTIONS):
        command = option(command)
    return command


@click.group(short_help="Import job metrics and manage the store.")
def history() -> None:
    """Manage a store of job metrics, which `flint recommend` and `flint check --history` read."""


@history.command("import", short_help="Import metrics into a store.")
@click.argument("address", metavar="SOURCE")
@click.option("--into", required=True, metavar="STORE", help="Directory of the store; created if missing.")
@click.option("--source", "source", metavar="KIND", help="Kind of the files, if it cannot be detected.")
@click.option("--cluster", metavar="NAME", help="Cluster that all samples belong to.")
@click.option("--cluster-label", metavar="LABEL", help="Label that contains the cluster name.")
@click.option("--time", metavar="T", help="Time of a scrape without timestamps.")
@click.option("--again", is_flag=True, help="Import unchanged files again.")
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
    from flink_flint.linter.commands.import_arguments import ImportArguments

    sys.exit(run_import(ImportArguments(**given), print_message))


@history.command(short_help="Show the contents of a store.")
@click.argument("store")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.pass_obj
def status(print_message: PrintMessage, /, store: str, output_format: str) -> None:
    """Show the contents of STORE: jobs by day, gaps, sizes."""
    from flink_flint.linter.commands.history import run_status

    sys.exit(run_status(store, output_format, print_message))


@history.command(short_help="Remove old samples and aggregate older data.")
@click.argument("store")
@click.option(
    "--keep-samples",
    type=click.IntRange(min=0),
    default=14,
    show_default=True,
    metavar="DAYS",
    help="Keep samples this long; later data for older days cannot be added.",
)
@click.option(
    "--keep-slots",
    type=click.IntRange(min=0),
    default=60,
    show_default=True,
    metavar="DAYS",
    help="Keep 5-minute intervals this long, then aggregate them to hours.",
)
@click.option("--keep", type=click.IntRange(min=1), metavar="DAYS", help="Delete days older than this.")
@_spark_options
@click.pass_obj
def compact(print_message: PrintMessage, /, **given: Any) -> None:
    """Remove old samples from STORE and aggregate older data. Percentiles are preserved: daily histograms are kept."""
    from flink_flint.linter.commands.history import CompactArguments, run_compact

    sys.exit(run_compact(CompactArguments(**given), print_message))


@click.command(short_help="Recommend settings from job metrics.")
@click.option("--history", required=True, metavar="STORE", help="Store created by `flint history import`.")
@click.option("--job", multiple=True, metavar="NAME", help="Only this job; repeatable.")
@click.option("--calculator", multiple=True, metavar="NAME", help="Only results of this calculator; repeatable.")
@click.option("--cluster", metavar="NAME", help="Only this cluster.")
@click.option("--config", multiple=True, metavar="FILE", help="Current Flink configuration; repeatable.")
@click.option("--flink-version", metavar="V", help="Flink release to write settings for.")
@click.option("--window", metavar="DAYS", help="Days of history to use (default: 30d).")
@click.option("--half-life", metavar="DAYS", help="Age at which a day has half the weight.")
@click.option("--until", metavar="DATE", help="Ignore data after this day.")
@click.option("--output-format", type=click.Choice(["text", "json", "markdown", "patch"]), default="text")
@click.option("--output-file", "-o", metavar="F", help="Write to this file.")
@click.option("--diff", is_flag=True, help="Show what --write would change, without changing files.")
@click.option("--write", is_flag=True, help="Apply the recommendations to the files of --config.")
@click.option("--report", metavar="FILE.html", help="Also write an HTML report.")
@click.option("--explain", is_flag=True, help="Show the evidence of each recommendation.")
@_spark_options
@click.pass_obj
def recommend(print_message: PrintMessage, /, **given: Any) -> None:
    """Recommend settings for every job, with the current values and the evidence.

    Nothing is recommended from less than ten minutes or sixty samples; missing data is reported.
    """
    from flink_flint.calculators.recommend.run_recommend import RecommendArguments, run_recommend

    sys.exit(run_recommend(RecommendArguments(**given), print_message))


@click.command(short_help="Evaluate recommendations on recorded demand.")
@click.option("--traces", metavar="DIR", help="Directory of CSV files with timestamp and value.")
@click.option("--history", "store", metavar="STORE", help="Use a history store instead of traces.")
@click.option("--job", multiple=True, metavar="NAME", help="With --history: only this job; repeatable.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
@click.option("--report", metavar="FILE.html", help="Also write the table and trade-off curve as an HTML report.")
@click.pass_obj
def backtest(print_message: PrintMessage, /, **given: Any) -> None:
    """Evaluate flint's methods and named baselines on recorded demand: learn from 14 days, apply to the next, repeat.

    U is the share of time above capacity, lag the share of time a queue is more than five minutes behind, slack the
    unused capacity.
    """
    from flink_flint.linter.commands.backtest import BacktestArguments, run_backtest

    sys.exit(run_backtest(BacktestArguments(**given), print_message))


COMMANDS: dict[str, click.Command] = {"backtest": backtest, "history": history, "recommend": recommend}
