"""A directory that is to outlive its processes is not where they can reach it, or not for as long as they need it.

## What it does
Follows each directory of checkpoints, savepoints, high availability, job results, changelog and archive from the
setting to what is behind it, over all files of the run. Reports

- a URI of an object store in a container of Flink's own image that loads no plugin for its scheme, or that asks for
  one of another release than the image;
- a local path on a PersistentVolumeClaim that one machine alone may have (`ReadWriteOnce`), where JobManager and
  TaskManagers mount it;
- a local path on a `hostPath` of pods, which is another folder on each machine;
- a lifecycle rule of the bucket (Terraform, CloudFormation) that lets expire what incremental checkpoints or high
  availability still refer to.

## Why it matters
Each file is right, and names the next one correctly. What breaks the chain is a property of the last link:

    flinkConfiguration     state.checkpoints.dir: s3://flink/orders/checkpoints
                           state.backend.incremental: true
    main.tf                bucket "flink", prefix "orders/", expires after 7 days

An incremental checkpoint consists of files in `shared/`, and a file stays there for as long as the data in it do: what
was written once and never changed is as old as the job. S3 deletes by age, whoever refers to it. Flink notices at the
next restore, which is a failover at any time after the first week: `FileNotFoundException`, with all retained
checkpoints alike. The same befalls the job graphs of high availability, which are written once, when the job is
submitted.

Flink's image has the file systems for S3, GCS, OSS and Azure in `/opt/flink/opt`, where nothing loads them; the
entrypoint links those named in `ENABLE_BUILT_IN_PLUGINS` into `plugins`. Without it every process ends with `Could not
find a file system implementation for scheme 's3'`; with a name of another release the entrypoint ends first (`Plugin
... does not exist. Exiting.`), after an upgrade that changed the image's tag in another place.

A volume that is `ReadWriteOnce` is attached to one machine. The pods that the scheduler puts elsewhere wait in
`ContainerCreating` with `Multi-Attach error`: on a test cluster of one machine nobody sees it.

## What to do
- Set `ENABLE_BUILT_IN_PLUGINS` to the plugin of the image's very release, or build it into the image.
- Make the claim `ReadWriteMany`, or use an object store.
- Leave the prefix of checkpoints and high availability out of the lifecycle rule. Old checkpoints are Flink's to
  delete; let only savepoints and the folders of jobs that are gone expire.

## Not when
- The image is not Flink's own, a Dockerfile builds it, something is mounted where plugins or libraries are loaded, a
  command copies them there, or variables come from elsewhere (`envFrom`).
- Checkpoints are full ones: a retained one is never older than the interval, unless the job stands still. Of savepoints
  expiry is meant.
- The lifecycle rule is for some tags or sizes, its prefix, days or bucket are not known, or it moves objects to another
  class of storage.
- A path without any volume, or on different ones in JobManager and TaskManagers, is told by `state-dir-on-local-disk`,
  `state-dir-in-tmp` and `ha-dir-local`; a URI that no file system takes by `state-dir-scheme`. They judge whether there
  is a volume, this rule whether the volume can be where the pods are.
- Cleaners of the machines (`tmpfiles.d`, cron, Ansible) and rules of HDFS are not read.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/plugins/>: plugins have to be copied
  from `opt`
- <https://github.com/apache/flink-docker/blob/dev-1.20/docker-entrypoint.sh>: `copy_plugins_if_required`
- <https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes>: ReadWriteOnce is one node
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/state/checkpoints/#directory-structure>: `shared` is
  for files that may be part of several checkpoints
- <https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html>: prefixes, and the days since an
  object was made
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.rules.composites._durable import DIRECTORIES, directories, is_patched

_PROCESSES = ("jobmanager", "taskmanager")


@rule(
    code="FLK059",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[*DIRECTORIES],
    scope="project",
    compares=[(["element:expiry", "element:volume-claim"], [*DIRECTORIES])],
    since="0.1",
)
def durable_path_out_of_reach(project: Project) -> Iterator[Finding]:
    """what is to outlive its processes is not where they can reach it, or expires"""
    used = [(config, found) for config in project.views if (found := list(directories(config)))]
    own = [(config, found) for config, found in used if not is_patched(config)]
    in_containers = [
        (config, process, found)
        for config, found in own
        for process in config.processes
        if process.role in _PROCESSES and process.containers
    ]
    # A configuration file on its own needs none of these modules.
    if in_containers:
        from flink_flint.rules.composites._durable_plugins import missing_plugins

        yield from missing_plugins(in_containers)
    in_pods = [config for config, _ in own if config.platform in ("operator", "kubernetes")]
    if in_pods:
        from flink_flint.rules.composites._durable_volumes import volumes_out_of_reach

        yield from volumes_out_of_reach(project, in_pods)
    expiries = [expiry for config in project.views for expiry in config.elements("expiry")]
    if expiries:
        from flink_flint.rules.composites._durable_expiry import expiring_objects

        yield from expiring_objects(expiries, used)


_COMPOSE = """services:
  jobmanager:
    image: %s
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        state.checkpoints.dir: %s
%s"""
_PLUGIN = '      ENABLE_BUILT_IN_PLUGINS: "%s"\n'
_S3 = "s3://flink/checkpoints"
_DEPLOYMENT = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: %s
  flinkVersion: v1_20
  flinkConfiguration:
    %s
  podTemplate:
    spec:
      containers:
        - name: flink-main-container
%s
  jobManager:
    resource: {memory: 2g, cpu: 1}
  taskManager:
    resource: {memory: 2g, cpu: 1}
"""
_ENV = """          env:
            - {name: ENABLE_BUILT_IN_PLUGINS, value: %s}"""
_FROM = """          envFrom:
            - secretRef: {name: flink}"""
_MOUNTED = """          volumeMounts:
            - {name: data, mountPath: %s}
      volumes:
        - name: data
          %s"""
_CHECKPOINTS = "state.checkpoints.dir: %s"
_SHARED = """services:
  jobmanager:
    image: %s
    command: jobmanager
    environment: &all
      ENABLE_BUILT_IN_PLUGINS: flink-s3-fs-hadoop-1.17.2.jar
      FLINK_PROPERTIES: "state.checkpoints.dir: s3://flink/c"
  taskmanager:
    image: %s
    command: taskmanager
    environment: *all
"""
_BOUND = """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment: &all
      FLINK_PROPERTIES: "state.checkpoints.dir: file:///data/c"
    volumes: ["./data:/data"]
  taskmanager:
    image: flink:1.18.1
    command: taskmanager
    environment: *all
    volumes: ["./data:/data"]
"""


def cases() -> list[Case]:
    return [
        bad(
            _COMPOSE % ("flink:1.18.1", _S3, ""),
            file="docker-compose.yml",
            at="flink:1.18.1",
            severity=Severity.ERROR,
            says="checkpoints go to s3://flink/checkpoints, and jobmanager runs flink:1.18.1, which loads no "
            "plugin for s3: jobs that take checkpoints fail at their start with",
        ),
        bad(
            _COMPOSE % ("apache/flink:1.18.1-java11", "gs://flink/c", _PLUGIN % "flink-s3-fs-hadoop-1.18.1.jar"),
            file="docker-compose.yml",
            says="loads no plugin for gs",
        ),
        bad(
            _COMPOSE % ("flink:1.18.1", "s3p://flink/c", _PLUGIN % "flink-s3-fs-hadoop-1.18.1.jar"),
            file="docker-compose.yml",
            says="loads no plugin for s3p",
        ),
        bad(
            _COMPOSE % ("flink:1.18.1", _S3, _PLUGIN % "flink-s3-fs-hadoop-1.17.2.jar"),
            file="docker-compose.yml",
            at="flink-s3-fs-hadoop-1.17.2.jar",
            says="asks for flink-s3-fs-hadoop-1.17.2.jar, and the image has",
        ),
        good(_COMPOSE % ("flink:1.18.1", _S3, _PLUGIN % "flink-s3-fs-hadoop-1.18.1.jar"), file="docker-compose.yml"),
        good(_COMPOSE % ("flink:1.18", _S3, _PLUGIN % "flink-s3-fs-hadoop-1.18.1.jar"), file="docker-compose.yml"),
        good(
            _COMPOSE % ("flink:1.18.1", "s3p://flink/c", _PLUGIN % "flink-s3-fs-presto-1.18.1.jar"),
            file="docker-compose.yml",
        ),
        good(_COMPOSE % ("flink:1.18.1", _S3, _PLUGIN % "${PLUGINS}"), file="docker-compose.yml"),
        good(_COMPOSE % ("shop/flink:1.18.1", _S3, ""), file="docker-compose.yml"),
        good(_COMPOSE % ("flink:1.18.1", "hdfs://flink/c", ""), file="docker-compose.yml"),
        good(
            _COMPOSE % ("flink:1.18.1", _S3, '    volumes: ["./s3:/opt/flink/plugins/s3"]\n'), file="docker-compose.yml"
        ),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: bash -c jobmanager.sh\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        state.checkpoints.dir: s3://flink/checkpoints\n",
            file="docker-compose.yml",
        ),
        good(_COMPOSE % ("flink:1.18.1", _S3, "    env_file: flink.env\n"), file="docker-compose.yml"),
        bad(
            _DEPLOYMENT % ("flink:1.20.4", _CHECKPOINTS % _S3, ""),
            file="orders.yaml",
            at="flink:1.20.4",
            says="jobmanager and taskmanager run flink:1.20.4",
        ),
        good(
            _DEPLOYMENT % ("flink:1.20.4", _CHECKPOINTS % _S3, _ENV % "flink-s3-fs-hadoop-1.20.4.jar"),
            file="orders.yaml",
        ),
        good(_DEPLOYMENT % ("flink:1.20.4", _CHECKPOINTS % _S3, _FROM), file="orders.yaml"),
        good(_DEPLOYMENT % ("flink:1.20.4", "high-availability.storageDir: s3://flink/ha", ""), file="orders.yaml"),
        bad(
            _DEPLOYMENT % ("orders:1", _CHECKPOINTS % "file:///data/c", _MOUNTED % ("/data", "hostPath: {path: /srv}")),
            file="orders.yaml",
            severity=Severity.WARNING,
            at="file:///data/c",
            says="a hostPath",
        ),
        bad(
            _DEPLOYMENT
            % (
                "orders:1",
                _CHECKPOINTS % "file:///data/c" + "\n    state.savepoints.dir: file:///data/s",
                _MOUNTED % ("/data", "hostPath: {path: /srv}"),
            ),
            file="orders.yaml",
        ),
        good(
            _DEPLOYMENT % ("orders:1", _CHECKPOINTS % "file:///data/c", _MOUNTED % ("/data", "nfs: {path: /s}")),
            file="orders.yaml",
        ),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: sql-client\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        state.checkpoints.dir: s3://flink/checkpoints\n",
            file="docker-compose.yml",
        ),
        bad(
            _COMPOSE % ("flink:1.18.1", f"hdfs:///c\n        state.savepoints.dir: {_S3}", ""),
            file="docker-compose.yml",
            says="savepoints go to",
        ),
        bad(_SHARED % ("flink:1.18.1", "flink:1.18.1"), file="docker-compose.yml", at="flink-s3-fs-hadoop-1.17.2.jar"),
        good(
            _COMPOSE % ("flink:1.18.1-java11", _S3, _PLUGIN % "flink-s3-fs-hadoop-1.18.1.jar"),
            file="docker-compose.yml",
        ),
        good(_COMPOSE % ("flink:latest", _S3, _PLUGIN % "flink-s3-fs-hadoop-1.18.1.jar"), file="docker-compose.yml"),
        good(
            "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: orders}\nspec:\n"
            "  image: flink:1.20.4\n  flinkConfiguration: {state.checkpoints.dir: 's3://flink/c'}\n"
            "  podTemplate: {spec: {containers: [{name: flink-main-container}]}}\n",
            file="overlays/orders.yaml",
        ),
        good(_BOUND, file="docker-compose.yml"),
        # Where the image has its plugins from, and which of them it loads.
        bad(_COMPOSE % ("flink", _S3, ""), file="docker-compose.yml", at="flink"),
        good(
            "services:\n"
            "  jobmanager:\n"
            "    build: .\n"
            "    command: jobmanager\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        state.checkpoints.dir: s3://flink/checkpoints\n",
            file="docker-compose.yml",
        ),
        bad(
            _COMPOSE % ("flink:1.18.1", _S3, '    volumes: ["./jobs:/opt/flink/usrlib", "./log:/opt/flink/log"]\n'),
            file="docker-compose.yml",
        ),
        *(
            good(_COMPOSE % ("flink:1.18.1", _S3, f'    volumes: ["./flink:{target}"]\n'), file="docker-compose.yml")
            for target in ("/opt/flink", "/opt/flink/lib", "/opt/flink/plugins/", "/opt/flink/plugins/s3", "${FOLDER}")
        ),
        bad(
            "services:\n"
            "  jobmanager:\n"
            "    image: flink:1.18.1\n"
            "    command: jobmanager -Drest.port=${PORT}\n"
            "    environment:\n"
            "      FLINK_PROPERTIES: |\n"
            "        state.checkpoints.dir: s3://flink/checkpoints\n",
            file="docker-compose.yml",
        ),
        bad(
            _COMPOSE
            % (
                "flink:1.18.1",
                "gs://flink/c",
                _PLUGIN % ("flink-s3-fs-hadoop-1.18.1.jar; flink-azure-fs-hadoop-1.18.1.jar"),
            ),
            file="docker-compose.yml",
        ),
        good(
            _COMPOSE
            % (
                "flink:1.18.1",
                "abfss://c@shop.dfs.core.windows.net/c",
                _PLUGIN % ("flink-s3-fs-hadoop-1.18.1.jar; flink-azure-fs-hadoop-1.18.1.jar;"),
            ),
            file="docker-compose.yml",
        ),
        good(
            _COMPOSE % ("flink:1.18.1", _S3, _PLUGIN % "flink-gs-fs-hadoop-1.18.1.jar;s3.jar"),
            file="docker-compose.yml",
        ),
        good(_COMPOSE % ("flink:1.18.1", "s3://${BUCKET}/c", ""), file="docker-compose.yml"),
        good(_COMPOSE % ("flink:1.18.1", "", ""), file="docker-compose.yml"),
        *cases_in_folders(__file__),
    ]
