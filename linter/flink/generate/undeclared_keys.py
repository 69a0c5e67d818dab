"""A handwritten list of keys, and families of keys, that no field of type ConfigOption declares.

Flink reads these by string constants, in its start scripts, through methods that build a key, or passes whole prefixes
to a plugin; reflection on fields cannot find them. The release ranges were determined from the constants in the class
files and scripts (``bin/*.sh``) of every release, types and defaults from the calls that read them (those of
``fs.<scheme>.limit`` by calling the methods that build those options). A constant that a release declares but never
reads (``local.start-webserver``) is not included. Nothing else in the catalogue is written by hand.
"""

from __future__ import annotations

from flink_flint.linter.flink.releases import MINORS
from flink_flint.linter.text.named_tuple import NamedTuple


class Family(NamedTuple):
    """A key or family of keys (``<…>`` is any name), with its value type, default, and first and last minor release."""

    template: str
    type: str = "String"
    since: str = MINORS[0]
    until: str = MINORS[-1]
    default: bool | int | str | None = None


_START_COMMAND = "%java% %jvmmem% %jvmopts% %logging% %class% %args% %redirects%"
_METRICS = "metrics.reporter.<name>."

FAMILIES: tuple[Family, ...] = (
    # MetricOptions declares these from 1.16 on; before, ReporterSetup reads them by ConfigConstants.
    Family(f"{_METRICS}factory.class", until="1.15"),
    Family(f"{_METRICS}scope.delimiter", until="1.15"),
    Family(f"{_METRICS}scope.variables.excludes", since="1.10", until="1.15"),
    # Reporters without options of their own read their parameters from strings. `port` is an Integer option
    # of InfluxDB and PushGateway (with different defaults), but Prometheus and JMX take ranges and lists of
    # ports under the same key, so its type can only be a string.
    Family(f"{_METRICS}port"),
    Family(f"{_METRICS}host"),
    # Datadog
    Family(f"{_METRICS}apikey"),
    Family(f"{_METRICS}tags"),
    Family(f"{_METRICS}proxyHost"),
    Family(f"{_METRICS}proxyPort", "Integer"),
    Family(f"{_METRICS}dataCenter", since="1.11"),
    Family(f"{_METRICS}maxMetricsPerRequest", "Integer", since="1.11"),
    Family(f"{_METRICS}useLogicalIdentifier", "Boolean", since="1.16"),
    # Graphite
    Family(f"{_METRICS}protocol"),
    Family(f"{_METRICS}prefix"),
    Family(f"{_METRICS}rateConversion"),
    Family(f"{_METRICS}durationConversion"),
    # Connections of one file system, by methods of CoreOptions.
    Family("fs.<scheme>.limit.total", "Integer", default=-1),
    Family("fs.<scheme>.limit.input", "Integer", default=-1),
    Family("fs.<scheme>.limit.output", "Integer", default=-1),
    Family("fs.<scheme>.limit.timeout", "Long", default=0),
    Family("fs.<scheme>.limit.stream-timeout", "Long", default=0),
    # Environment variables of the processes in containers.
    Family("containerized.master.env.<VAR>"),
    Family("containerized.taskmanager.env.<VAR>"),
    Family("yarn.application-master.env.<VAR>", until="1.20"),
    Family("yarn.taskmanager.env.<VAR>", until="1.20"),
    # Where HadoopUtils looks for Hadoop's own configuration: plain keys that never became options.
    Family("fs.hdfs.hadoopconf", until="1.20"),
    Family("fs.hdfs.hdfsdefault", until="1.20"),
    Family("fs.hdfs.hdfssite", until="1.20"),
    # Keys that the start scripts read from the file, in releases that declare no option for them.
    Family("env.java.home", until="1.20"),
    Family("env.pid.dir", until="1.12", default="/tmp"),
    Family("taskmanager.compute.numa", default="false"),  # anything but "false" enables NUMA
    Family("zookeeper.heap.mb", "Integer", default=0),
    # Read by name until they became options or were removed.
    Family("restart-strategy", until="1.9"),
    Family("restart-strategy.fixed-delay.attempts", "Integer", until="1.9", default=1),
    Family("restart-strategy.failure-rate.max-failures-per-interval", "Integer", until="1.9", default=1),
    Family("restart-strategy.failure-rate.failure-rate-interval", until="1.9", default="1 minute"),
    Family("restart-strategy.failure-rate.delay", until="1.9"),
    Family("taskmanager.log.path", until="1.18"),
    Family("taskmanager.runtime.fs_timeout", "Long", until="1.18", default=0),
    Family("taskmanager.runtime.large-record-handler", "Boolean", until="1.11", default=False),
    Family("local.number-taskmanager", "Integer", until="1.18", default=1),
    Family("yarn.container-start-command-template", until="1.18", default=_START_COMMAND),
    Family("compiler.merge-iteration-aux", "Boolean", until="1.20", default=False),
    # The name of a pluggable service determines its options.
    Family("security.delegation.token.provider.<serviceName>.<parameter>", since="1.17"),
    Family("security.delegation.token.receiver.<serviceName>.<parameter>", since="1.17"),
    Family("sql-gateway.endpoint.<type>.<parameter>", since="1.16"),
    Family("table.catalog-store.<kind>.<parameter>", since="1.18"),
    Family("table.secret-store.<kind>.<parameter>", since="2.3"),
    Family("workflow-scheduler.<type>.<parameter>", since="1.20"),
)
