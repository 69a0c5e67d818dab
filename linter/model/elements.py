"""The objects a file declares besides settings: Kubernetes objects, containers, tables, async calls, loggers.

A file format finds elements; a rule gets those of a kind, with their attributes, from a view. An attribute whose value
cannot be read from the file (a template, a variable, a call) is present, but unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flink_flint.linter.text.named_tuple import NamedTuple
from flink_flint.linter.text.spans import Span

KINDS: Mapping[str, str] = {
    "kubernetes-object": (
        "an object of a Kubernetes manifest that is related to Flink; `name` is its kind, the attributes are its "
        "fields by dotted path (`metadata.name`, `spec.podTemplate.spec.containers[0].image`)"
    ),
    "operator-values": (
        "values of the chart of the Flink Kubernetes Operator; `name` is the path of the mapping that has them (empty: "
        "the top of the file); the attributes are the values by dotted path (`operatorPod.resources.limits.memory`)"
    ),
    "misplaced-field": (
        "a field of a custom resource in Helm values that is in the wrong place; `name` is the field; `path`, where it "
        "is, and `belongs`, where the related fields are"
    ),
    "container": (
        "a container that runs Flink, of Kubernetes or Docker Compose; `name` is its name or the service's; "
        "`role` (jobmanager, taskmanager, sql-gateway, ...), `image`, `args[0]`, `environment.NAME`, "
        "`ports[0].published`, `ports[0].target`, `ports[0].address`, `volumes[0].source`, `volumes[0].target`, "
        "`volumes[0].read-only`, `volumes[0].kind` (volume, bind, tmpfs, claim, config, secret, content, empty, ...), "
        "`volumes[0].config-map` (its name), `volumes[0].sub-path`, `volumes[0].items[0].key` and `.path`, "
        "`copies[0].source` and `.target` (what the build of its image copies), `dockerfile` (that builds it), "
        "`other-build` (with a stage or arguments that change what the Dockerfile says of Flink), "
        "`memory` (bytes), `cpu`, `replicas`, `hostname`, `restart` (Compose's policy), "
        "`network` (host, pod: with another one that runs Flink, or Compose's network_mode); `reads-no-variables` "
        "(what keeps the entrypoint from writing variables to the configuration: the program that replaces it, or the "
        "target of a read-only volume); `environment` alone, "
        "unknown, means that there may be more variables than can be seen"
    ),
    "neighbor": "another container of the same file that runs Flink, as `container`",
    "union-state": (
        "a union list in operator state in a job's source code; `name` is its name (empty: unknown); `grows` (what adds"
        " to it when it is restored, if nothing replaces it)"
    ),
    "list-state": (
        "code that writes a list in operator state for a checkpoint, which grows with the data; `name` is the name "
        "of the state (empty: unknown); `by`, what makes it grow (for, forEach, collection)"
    ),
    "service": (
        "a service of the same Docker Compose file that does not run Flink; `name` is its name; `image`, `hostname`,"
        " `environment.MINIO_ROOT_USER` and the other keys of an object store"
    ),
    "property-line": (
        "a line of FLINK_PROPERTIES; `name` is its key; `kind` (setting, comment, nested, equals, dynamic, list-item, "
        "bare), `key`, `value` (as written), `comment`, `undefined[0]` (a variable that nothing defines), "
        "`flat-file` (the image may write it to a flink-conf.yaml of 1.19 or 1.20)"
    ),
    "image": (
        "the image a Dockerfile builds: `from`, what it copies and installs (`copies[0].source`, `.target`, `.path` "
        "(an absolute path instead of a relative target), `.from`), `environment.NAME`, `edits[0]` (a configuration "
        "file that it changes), `unread-edits[0]` (the same, if its changes are not among the settings), "
        "`placed[0].source`, `.target` and `.by` (JARs that curl, wget, cp, mv or ln bring; `*`: not known), "
        "`uses[0].path` and `.by` (a flink-conf.yaml that a command needs or writes: sed, chmod, writes), `entrypoint` "
        "(if it is not that of Flink's image), "
        "`downloads[0]` (the address of a jar), `pyflink` (the version of PyFlink it installs; unknown "
        "unless pinned)"
    ),
    "image-without-jars": "the image that a Dockerfile builds, if it certainly has the JARs of Flink's own image alone",
    "async-call": (
        "a call of AsyncDataStream; `name` is the method (orderedWait, unorderedWaitWithRetry, ...); `timeout` (ms), "
        "`capacity` (with `default-capacity` where the call names none), `retries`, `retry-delay` (ms, on average), "
        "and of the function it is given, where its class is in the file: `function` (the class), `threads` (of its "
        "pool), `threads-shared` (a static pool), `request-timeout` and `connect-timeout` (ms, of its client), "
        "`timeout-handled`, `fails-exceptionally`, `blocking` (what waits in asyncInvoke), `state` (a method of the "
        "runtime context that is refused)"
    ),
    "async-function": (
        "a class of asynchronous calls; `name` is its name; `threads` and the other attributes of the function that "
        "`async-call` has"
    ),
    "kinesis-source": (
        "a reader of Kinesis; `name` is the stream (its name or ARN; empty: unknown); `api` (FlinkKinesisConsumer, "
        "KinesisStreamsSource, sql, property-group), and the connector's properties by their keys under `properties.`; "
        "of a SQL table the options as written under `with.`; `properties` alone, unknown, means that more may be set "
        "than can be seen (a Properties object from elsewhere); `watermarks` (none, idle-aware, without-idleness)"
    ),
    "kinesis-sink": (
        "a writer to Kinesis, Firehose or DynamoDB, as `kinesis-source`; `api` (FlinkKinesisProducer, "
        "KinesisStreamsSink, KinesisFirehoseSink, DynamoDbSink, sql), the setters called by their names in kebab case "
        "(`fail-on-error`, `queue-limit`, `max-batch-size`, `max-buffered-requests`, `max-in-flight-requests`, "
        "`max-batch-size-in-bytes`, `max-record-size-in-bytes`)"
    ),
    "kinesis-stream": (
        "a stream that Terraform or CloudFormation creates; `name` is its name (empty: unknown); `shards`, `mode` "
        "(PROVISIONED, ON_DEMAND; absent: PROVISIONED)"
    ),
    "policy-statement": (
        "a statement of an IAM policy about Kinesis or MSK; `name` is the service (kinesis, kafka-cluster); "
        "`actions[0]`, `resources` (as written); `actions` alone, unknown: there may be more"
    ),
    "msk-cluster": "an MSK cluster in a file with such statements; `name` is its name as written (props.sinkName)",
    "statefun-component": (
        "a component of a module of Stateful Functions in a ConfigMap; `name` is its kind; `kind`, or `fault` (why the"
        " module is not YAML)"
    ),
    "volume-claim": (
        "a PersistentVolumeClaim in a file with objects of Flink; `name` is its name; `access[0]` (ReadWriteOnce, "
        "ReadWriteMany, ...)"
    ),
    "expiry": (
        "a lifecycle rule by which objects of an S3 bucket expire, that Terraform or CloudFormation creates; `name` is "
        "the bucket (empty: unknown); `days`, `prefix` (empty: all of the bucket)"
    ),
    "kafka-topic": "a topic that a Strimzi manifest creates; `name` is its name; `partitions`",
    "kafka-source": (
        "a reader of Kafka; `name` is the topic (empty: unknown); `api` (KafkaSource, FlinkKafkaConsumer, sql), client "
        "properties by their keys under `properties.`; `properties` alone, unknown, means that more may be set than "
        "can be seen, `calls` alone the same for setters; of a SQL table the other options as written under `with.`; "
        "the builder's other settings by their setter: `group-id`, `bounded`, `starting-offsets` (earliest, latest, "
        "timestamp, offsets, committed, committed-earliest, committed-latest, committed-none; SQL's as written)"
    ),
    "kafka-sink": (
        "a writer to Kafka; as `kafka-source`; `api` (KafkaSink, FlinkKafkaProducer, sql), with `delivery-guarantee` "
        "(exactly-once, at-least-once, none), `transactional-id-prefix`, `transaction-naming` (pooling, incrementing)"
    ),
    "rabbitmq-source": (
        "a reader of RabbitMQ in a job's source code; `name` is the queue (empty: unknown); `correlation-ids` "
        "(whether it drops messages it has already seen), `parallelism` (its own, if set), `connection` (the builder "
        "of its connection; unknown, if that is not the program's), `prefetch-count` (of the connection)"
    ),
    "pulsar-source": (
        "a reader of Pulsar in a job's source code; `name` is its topics (empty: unknown); `api` (FlinkPulsarSource, "
        "PulsarSource), its properties below `properties.`, the builder's setters by their names in kebab case; "
        "`properties` alone, unknown: there may be more; `calls` alone the same for setters"
    ),
    "cdc-source": (
        "a source of Flink CDC in a job's source code; `name` is its connector in SQL (mysql-cdc); the options of its "
        "builder by their keys in SQL (`server-id`, `slot.name`, `scan.startup.mode`), `api` (the class that"
        " makes it, with its package if it is imported), "
        "`deserializer` (its class; `deserializer-configuration`, if it is given more than one argument), Debezium's "
        "properties below "
        "`debezium.`; `parallelism` (its own, if set); `calls` and `debezium` alone, unknown: there may be more"
    ),
    "sink": (
        "another sink in a job's source code; `name` is its class or method (print, CassandraSink, ...), `method` "
        "what creates it (addSink, exactlyOnceSink), `consistency-level`, and the setters called on it or its builder "
        "by their names in kebab case with their first argument (`max-concurrent-requests`, `max-retries`);"
        " `condition`, if it depends on a flag (flag; off: not by default); `bounded`, if all sources of the job end;"
        " `windowed`, if it gets what windows yield; `path` (the folder of a sink of files), `table-loader` (as"
        " written)"
    ),
    "operator": (
        "an operator in a job's source code that keeps state: source, sink, asynchronous call, or on a keyed stream;"
        " `name` is the method that adds it; `uid`, `made` (of a source or sink: its class)"
    ),
    "window": (
        "a window in a job's source code; `name` is the method (window, windowAll, countWindow); `assigner` and "
        "`trigger` (their classes), `count` (for which its trigger waits, and for nothing else), `evictor` (if "
        "there is one), `keyed` (if it follows keyBy at once), `size` and `slide` (ms, of sliding ones), `timer` (a "
        "process function with timers of event time), `without` (watermarks or timestamps: what the stream lacks "
        "for event time), `characteristic` (default: the program leaves that of the environment, though it assigns "
        "timestamps)"
    ),
    "late-watermarks": (
        "a call that assigns watermarks to all that a source reads from several partitions, at once behind it; `name`"
        " is the class of the source; `source` (the call that adds it)"
    ),
    "beam-pipeline": (
        "the options of a pipeline of Apache Beam; `name` is its runner (empty: unknown); the options by their names"
        " (flink_master, checkpointing_interval, environment_type); `more` alone, unknown: there may be others"
    ),
    "beam-transform": (
        "a transform of a Beam pipeline; `name` is its class; `java` (it runs in workers of the Java SDK), `unbounded`,"
        " `expansion-service` (if it is given one), Kafka's client properties by their keys under `properties.`"
    ),
    "record-class": (
        "a class in a program that Flink cannot serialize as a POJO; `name` is its name; `why` (constructor: each of "
        "its constructors has parameters; an annotation of Lombok; interface, trait, case class, data class), "
        "`setters` (it has some)"
    ),
    "stream-types": (
        "the classes that are type arguments of a program's streams and functions: an attribute for each; false, if the"
        " program has a serializer for it"
    ),
    "state-type": ("a state that a program declares by a class; `name` is the state's; `class`, its simple name"),
    "savepoint-writer": (
        "a call of the State Processor API that makes a savepoint; `name` is the method; `max-parallelism` (with the"
        " argument as written in `given`)"
    ),
    "key": (
        "a key of a stream that is unfit; `name` is the method; `kind` (random, array, enum, protobuf, constant), "
        "`of` (what makes it)"
    ),
    "keyed-state": (
        "a list or map for each key in a job's functions; `name` is its name; `kind` (list, map, specification: of "
        "Stateful Functions), `grows` (the method that adds to it), `expires` (it has a time to live; unknown: may "
        "have), `cleared`, `replaced` (updated as a whole), `timer` (its function sets timers)"
    ),
    "record-work": (
        "a call that a function in a job's source code makes for each record; `name` is the method (map); `kind` "
        "(waits: for a service's answer; sleeps; connects: makes a client), `call`, `function` (its class)"
    ),
    "shared-field": (
        "a static collection that a function changes with each record; `name` is the field; `class`, `method`"
    ),
    "serialized-client": (
        "a field of a function with a client made before the function is serialized; `name` is the field; `made`;"
        " `captured`, if it is a variable of the method around the function"
    ),
    "endless-source": "a source whose `run` nothing ends; `name` is the method; `cancel` (which does nothing)",
    "empty-execution": (
        "a call of `execute` of an environment for which the program declares no streams, or of an empty statement"
        " set; `name` is the method; `tables` (what runs its statements), `set` (it is one of a statement set)"
    ),
    "append-stream": (
        "a stream that a program makes of a table with updates, by a method for rows that are only added; `name` is the"
        " method; `updates` (GROUP BY, groupBy, ...)"
    ),
    "changelog-stream": (
        "a stream of changes whose kinds a program drops; `name` is the method that makes it; `into` (the method that"
        " takes new rows alone), or `updates` (GROUP BY, groupBy, ...) and `function` (the operator that drops them)"
    ),
    "guarded-settings": (
        "a function that makes settings only if a parameter is true; `name` is the function; `class`, `position` (of "
        "the parameter, from 0), `parameter`, `keys`"
    ),
    "flag-call": (
        "a call of a class's function with a boolean; `name` is the function; `class`, `position`, `value` (of a"
        " literal)"
    ),
    "jar-path": "a JAR that a program adds without a scheme; `name` is the path; `method`",
    "emission": (
        "a record that another thread than the task's emits; `name` is the call; `by`, the class or method that runs it"
    ),
    "lost-failure": (
        "a callback of an asynchronous function that does not complete the future of its record if it fails; `name` is"
        " the exception or method; `future` (the parameter), `by` (throw: it throws; result: it gets results alone;"
        " timeout: it is the method for timeouts, and empty)"
    ),
    "process-exit": (
        "a call that ends the process in a function that runs in tasks; `name` is the call; `function` (its class, or a"
        " lambda)"
    ),
    "erased-type": (
        "a lambda of Java whose result has type arguments that Flink cannot know; `name` is the method it is given to;"
        " `type` (Tuple2, Collector)"
    ),
    "event-time": "the timestamp that a program gives to records; `name` is where it is from; `unit` (s: in seconds)",
    "client-field": (
        "a static field that a function of a job reads and only `main` fills; `name` is the field's; `set` (where)"
    ),
    "anonymous-snapshot": "the anonymous class of the snapshot of a serializer; `name` is that which it extends",
    "unclosed-client": (
        "a field of a function with a client that `open` makes, and no method closes; `name` is the field's; `made`,"
        " `function` (its class)"
    ),
    "buffer": (
        "a collection in which a sink without checkpointed state keeps records; `name` is the field's; `function`"
    ),
    "update-stream": (
        "a stream of updates that a job's source code makes of a query which it is given; `name` is the method;"
        " `query` (unknown), `retention` (whether the program says how long queries keep their state)"
    ),
    "slot-request": (
        "what a slot sharing group of a job's source code asks for; `task-heap`, `task-off-heap`, `managed` (bytes)"
    ),
    "heap-storage": (
        "a storage of checkpoints in the JobManager's heap that a job's source code makes; `name` is its class; "
        "`limit` (bytes of the state of a subtask)"
    ),
    "repeated-id": (
        "the ID of an operator that a loop makes, each time the same; `name` and `id` are the expression; `loop`"
        " (where)"
    ),
    "kryo-value": (
        "a value in the records of a program that Kryo cannot read back; `name` is the class of the record; `kind`"
        " (fixed: a collection; avro), `of` (what makes it)"
    ),
    "worker-module": (
        "a module that functions of a Python program use, which their workers need too; `name` is its name; `function`"
    ),
    "operator-id": (
        "an operator whose ID is another one at each start; `name` is the function that makes it, `made-by` as well"
    ),
    "job": (
        "a job's program; `name` is its class; attributes are the calls without a corresponding setting: "
        "`local-environment`, `mini-cluster` (where it starts a cluster in its own JVM), `legacy-source` (addSource), "
        "`legacy-sink` (addSink; both: imported, where the program imports from Flink 2's packages for them, old, "
        "where it imports from those of Flink 1, kafka, where all are given one of the old Kafka classes, or unknown), "
        "`state-ttl` (ms), "
        "`state-ttl-cleanup` (whether a call enables the cleanup of expired state); `bounded` (all sources end); "
        "`sets.KEY`, "
        "unknown, of options that it sets to an unknown value; `sets` alone means that there may be more of them, as "
        "the environment or its configuration comes from elsewhere"
    ),
    "parameter": (
        "a parameter of a job's program, or a variable of its environment, whose default the program takes for a"
        " setting; `name` is its name; `key` (of the setting), `default` (the setting's text, if it is that of the"
        " parameter)"
    ),
    "table": (
        "a table of a SQL script; `name` is its name; `connector`, its options under `with.`, "
        "`columns[0].name`, `.type`, `.expression` (of a computed one), `.metadata`; `watermark` (column), "
        "`watermark-delay` (ms; unknown for other expressions than the column less an interval), `primary-key`, "
        "`primary-key-enforced` (table or column: where the key is declared without NOT ENFORCED), `partitioned-by`, "
        "`catalog-type` (the type of the catalog that it is created in), `temporary`, `like`; `with` alone, unknown,"
        " means that a template may add options; `unused`, `only-written` (its name: "
        "what nothing in the file uses, or reads)"
    ),
    "function": "a function that a SQL script creates; `name` is its name; `class`",
    "catalog": "a catalog of a SQL script; `name` is its name; `type`, its options under `with.`",
    "query": "a statement of a SQL script that runs a job; `name` is its verb; see `linter.formats.sql`",
    "plan": (
        "what the planner of a release says of a statement of a SQL script, with --plan; `name` is planned, refused or "
        "passed over; `release`; `message` and `verb` (of one that is refused), `reason` (passed over), "
        "`operators[0].type`, `.changes` (I,UB,UA,D), `.keys` (upsert keys), `.details.NAME`, `state[0]` (what "
        "operators keep in state), `ttl.OPERATOR.STATE` (how long they keep it, from the compiled plan)"
    ),
    "dependency": (
        "an artifact that a build file declares; `name` is the artifact's; `groupId`, `version`, `scope` (Maven's, also"
        " for Gradle; absent: compile), `optional`, `classifier`"
    ),
    "build-parent": "the parent of a POM; `name` is its artifact; `groupId`, `version`",
    "build-plugin": (
        "a plugin of a build file; `name` is its artifact, or ID in Gradle; `goals` (separated by blanks), `skip`, "
        "`classifier`, `excludes` (the patterns of what it leaves out, separated by blanks)"
    ),
    "logging": (
        "a logging configuration; `name` is the library that reads it (log4j1, log4j2, logback); `file`: the name of "
        "its file, if known; `appended`, if it is appended to the file that the operator's chart contains"
    ),
    "logger": "a logger; `name` is its name (`root` for the root); `level`, `appenders[0]`, `additivity`",
    "appender": (
        "an appender; `name` is its name; `type` (a name or a class, as written), and its properties by their names, "
        "those of nested parts by dotted path (`policies.size.size`, `rollingPolicy.maxFileSize`)"
    ),
    "application": "a Managed Service for Apache Flink application; the resource's fields by dotted path",
    "emr-cluster": "an EMR cluster or its configuration; `release` (label), fields by dotted path",
    "operator-install": (
        "a command that installs the chart of Apache's operator; `release` (of the chart), `image.repository` and "
        "`image.tag` (where it sets them), `upgrades` (it is `helm upgrade`)"
    ),
    "command": "a Flink command in a script; `name` is the program; `action`, `options.<name>`, `arguments[0]`;"
    " `lists-jobs` (the script looks at jobs that run, or stops them), on YARN `environment.HADOOP_CONF_DIR` and "
    "`environment.HADOOP_CLASSPATH` (as the script sets them; `environment` alone, unknown: it reads others);"
    " `program` (the action that Paimon's jar of actions runs) and `program.mysql_conf.KEY` (the options given to it)",
}
"""A description of each kind of element and its attributes, by the name of the kind."""
SINKS = ("sink", *(kind for kind in KINDS if kind.endswith("-sink")))
"""The kinds of elements that are sinks of a program."""


UNUSED = "unused"
"""The attribute of an element that nothing in its file uses; its value is the word that a use elsewhere would have.

It is of a table that no statement reads or writes, or in a function that nothing calls.
"""

ONLY_WRITTEN = "only-written"
"""The attribute of a table that its file writes and does not read; its value is the table's name."""

ONLY_DECLARED = "only-declared"
"""The attribute of a table whose script writes nothing and does not read it either; its value is the table's name."""


class Attribute(NamedTuple):
    """An attribute of an element: its value (None if unknown), and the spans of the value and the key."""

    value: object
    span: Span
    key_span: Span | None = None
    raw: str = ""
    """The value of the attribute as written, including its quotes."""


class Element:
    """An object that a file declares besides settings: its kind, name, span, and attributes."""

    __slots__ = ("_holders", "_members", "attributes", "kind", "name", "span")

    def __init__(self, kind: str, name: str, span: Span, attributes: Mapping[str, Attribute]) -> None:
        self.kind = kind
        self.name = name
        self.span = span
        """Where findings on the whole element point: to its name or first line."""
        self.attributes = attributes
        self._holders: frozenset[str] | None = None
        self._members: dict[str, Sequence[Element]] = {}

    def value(self, name: str) -> object:
        """Return the value of an attribute; None if it is missing or unknown."""
        attribute = self.attributes.get(name)
        return None if attribute is None else attribute.value

    def has(self, name: str) -> bool:
        """Return whether an attribute, or a parent of attributes (`spec.job`), exists, even with an unknown value."""
        return name in self.attributes or name in self._all_holders()

    def _all_holders(self) -> frozenset[str]:
        """Return the names of all parents of attributes, such as `spec` and `spec.job` of `spec.job.state`."""
        if self._holders is None:
            holders: set[str] = set()
            for name in self.attributes:
                while (place := max(name.rfind("."), name.rfind("["))) >= 0 and (name := name[:place]) not in holders:
                    holders.add(name)  # its own parents follow in this loop, once
            self._holders = frozenset(holders)
        return self._holders

    def is_known(self, name: str) -> bool:
        """Return whether an attribute is missing or has a known value; False if its value or a parent is unknown."""
        while name:
            attribute = self.attributes.get(name)
            if attribute is not None:
                return attribute.value is not None
            name = name[: max(name.rfind("."), name.rfind("["), 0)]
        return True

    def under(self, prefix: str) -> Iterator[tuple[str, Attribute]]:
        """Yield the attributes below `prefix` (such as ``environment``), each with the rest of its name."""
        opening = f"{prefix}."
        for name in self.attributes:
            if name.startswith(opening):
                yield name[len(opening) :], self.attributes[name]

    def listed(self, name: str) -> list[Attribute]:
        """Return the members of a list of plain values, such as `args[0]`, `args[1]`, ..., in order."""
        opening = f"{name}["
        return [self.attributes[path] for path in self.attributes if path.startswith(opening)]

    def items(self, name: str) -> Sequence[Element]:
        """Return the members of a list attribute (`volumes[0]`, `volumes[1]`, ...) as separate elements."""
        if name not in self._all_holders():
            return ()
        found = self._members.get(name)
        if found is None:
            found = self._members[name] = self._members_of(name)
        return found

    def _members_of(self, name: str) -> Sequence[Element]:
        members: dict[str, dict[str, Attribute]] = {}
        opening = f"{name}["
        for path in self.attributes:
            if path.startswith(opening):
                number, _, rest = path[len(opening) :].partition("]")
                members.setdefault(number, {})[rest.removeprefix(".")] = self.attributes[path]
        return [
            Element(name, number, next(iter(attributes.values())).span, attributes)
            for number, attributes in members.items()
        ]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"
