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

from collections import defaultdict
from collections.abc import Iterator, Sequence

from flink_flint.linter.model.finding import Place
from flink_flint.linter.model.processes.process_view import ProcessView
from flink_flint.linter.model.project import Project
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import ElementView, View
from flink_flint.rules.checkpoints._state_directories import LocalDirectory, holders
from flink_flint.rules.composites._durable import (
    CHECKPOINTS,
    DIRECTORIES,
    HIGH_AVAILABILITY,
    PLUGINS,
    RESULTS,
    SERVED_BY,
    Durable,
    contains,
    directories,
    local,
    official_tag,
    plugins,
)
from flink_flint.rules.composites._places import links

_INCREMENTAL = "execution.checkpointing.incremental"
_BACKEND = "state.backend.type"
_ONE_MACHINE = ("ReadWriteOnce", "ReadWriteOncePod")
_PROCESSES = ("jobmanager", "taskmanager")
_MAX_NAMED = 5


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
    yield from _plugins(used)
    yield from _volumes(project, used)
    yield from _expired(project, used)


# -- plugins


def _plugins(used: Sequence[tuple[View, list[Durable]]]) -> Iterator[Finding]:
    """Containers of Flink's own image, and the schemes that nothing in it serves."""
    missing: dict[tuple[object, ...], tuple[Durable, list[tuple[View, ProcessView]]]] = {}
    outdated: dict[Place, Finding] = {}
    for config, found in used:
        if _is_patched(config):
            continue
        for process in config.processes:
            tag, enabled = official_tag(process), plugins(process)
            if process.role not in _PROCESSES or not process.containers or tag is None or enabled is None:
                continue
            for durable in found:
                serving = SERVED_BY.get(durable.location.scheme, ())
                fitting = [plugin for plugin in enabled if plugin.name in serving]
                if serving and not fitting:
                    place = (durable.location.scheme, config.document.path, durable.setting.document.path)
                    missing.setdefault(place, (durable, []))[1].append((config, process))
                    break
                for plugin in fitting:
                    where = process.place(f"environment.{PLUGINS}")
                    if not _is_of(plugin.release, tag) and where not in outdated:
                        outdated[where] = _outdated(process, durable, plugin.name, plugin.release, tag)
    yield from outdated.values()
    for durable, processes in missing.values():
        yield _missing(durable, processes)


def _missing(durable: Durable, processes: Sequence[tuple[View, ProcessView]]) -> Finding:
    scheme = durable.location.scheme
    config, process = processes[0]
    image = process.image.value if process.image is not None else None
    jar = f"{SERVED_BY[scheme][-1]}-{config.target.release or '<release>'}.jar"
    roles = list(dict.fromkeys(one.name for _, one in processes))[:2]
    places = {one.place("image").span: one.place("image", f"of {one.name}") for _, one in processes[:_MAX_NAMED]}
    return process.finding(
        f"{durable.what} go to {durable.setting.text}, and {' and '.join(roles)} {'run' if roles[1:] else 'runs'}"
        f" {image}, which loads no plugin for {scheme}: the processes end with 'Could not find a file"
        f" system implementation for scheme '{scheme}''",
        of="image",
        key=durable.setting.key,
        help=f"set {PLUGINS}: {jar} in the environment of each container, or build the plugin into the image",
        related=[
            *durable.place(),
            *([process.place(f"environment.{PLUGINS}", "enables others")] if process.variable(PLUGINS) else ()),
            *(place for span, place in places.items() if span != process.place("image").span),
        ],
        evidence={"scheme": scheme, "image": image},
    )


def _outdated(process: ProcessView, durable: Durable, name: str, release: str, tag: str) -> Finding:
    return process.finding(
        f"{PLUGINS} asks for {name}-{release}.jar, and the image has that of {tag}: its entrypoint ends with 'Plugin"
        f" {name}-{release}.jar does not exist', and {durable.what} are out of reach",
        of=f"environment.{PLUGINS}",
        key=PLUGINS,
        help=f"write {name}-{_release_of(tag)}.jar",
        related=[process.place("image", f"the image of {tag}"), *durable.place()],
        evidence={"plugin": release, "image": tag},
    )


def _release_of(tag: str) -> str:
    return tag.partition("-")[0]


def _is_of(release: str, tag: str) -> bool:
    """Whether a release may be that of a tag: the same, or a patch of a tag that names none."""
    named = _release_of(tag)
    return not named[:1].isdigit() or release == named or release.startswith(f"{named}.")


def _is_patched(config: View) -> bool:
    """Whether other documents change the container: then it is theirs to be judged."""
    is_a_patch = config.platform == "operator" and not config.document.whole
    return is_a_patch or any(upper.kind == config.document.kind for upper in config.relation.above)


# -- volumes


def _volumes(project: Project, used: Sequence[tuple[View, list[Durable]]]) -> Iterator[Finding]:
    """Local paths whose volume is not where all pods are."""
    claims: dict[str, list[ElementView]] = defaultdict(list)
    for config in project.views:
        for claim in config.elements("volume-claim"):
            claims[claim.name].append(claim)
    told: set[int] = set()
    folders: dict[tuple[int, str], list[tuple[LocalDirectory, list[_Pod]]]] = {}
    for config, _ in used:
        if config.platform not in ("operator", "kubernetes") or _is_patched(config):
            continue
        for directory in local(config):
            pods = [(place.container, place.volume) for place in holders(config, directory) or () if place.volume]
            if len(pods) < 2:
                continue
            restrict = _claim(pods, claims)
            if restrict is not None and id(restrict.element) not in told:
                told.add(id(restrict.element))
                yield _on_one_machine(restrict, directory, pods)
            elif {volume.text("kind") for _, volume in pods} == {"bind"}:
                target = pods[0][1].text("target") or ""
                folders.setdefault((id(config.document), target), []).append((directory, pods))
    for (first, pods), *more in folders.values():
        yield _on_each_machine(first, pods, [directory for directory, _ in more])


_Pod = tuple[ProcessView | ElementView, ElementView]
"""A process or a container beside it, and the volume on which it has a directory."""


def _claim(pods: Sequence[_Pod], claims: dict[str, list[ElementView]]) -> ElementView | None:
    """The claim that all pods mount, where one machine alone may have it."""
    mounted = {(volume.text("kind"), volume.text("source")) for _, volume in pods}
    (kind, name), *others = mounted
    found = claims.get(name or "", [])
    if kind != "claim" or others or len(found) != 1:
        return None
    modes = [mode.text("") for mode in found[0].items("access")]
    return found[0] if modes and all(mode in _ONE_MACHINE for mode in modes) else None


def _on_one_machine(claim: ElementView, directory: LocalDirectory, pods: Sequence[_Pod]) -> Finding:
    setting, location, what = directory
    mode = claim.text("access[0]") or ""
    names = " and ".join(container.name for container, _ in pods[:2])
    where = "one pod may have it" if mode.endswith("Pod") else "one machine may have it"
    return claim.finding(
        f"{what} go to {location.path}, which {names} mount from the claim {claim.name}: it is {mode}, so {where} at a"
        " time, and the pods on others never start (Multi-Attach error)",
        of="access[0]",
        key=f"{claim.name}.accessModes",
        help="make the claim ReadWriteMany, or keep them in an object store",
        severity=None if mode.endswith("Pod") else Severity.WARNING,
        related=[*links((setting, what)), *_mounts(pods)],
        evidence={"directory": location.path, "mode": mode},
    )


def _on_each_machine(directory: LocalDirectory, pods: Sequence[_Pod], more: Sequence[LocalDirectory]) -> Finding:
    setting, location, what = directory
    return setting.finding(
        f"{what} go to {location.path}, a hostPath: each machine has a folder of its own there, and what a TaskManager"
        " writes on one the JobManager does not find on another",
        help="use a claim that is ReadWriteMany, or an object store",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        related=[*_mounts(pods), *links(*((one.setting, f"{one.what} too") for one in more))],
        evidence={"directory": location.path},
    )


def _mounts(pods: Sequence[_Pod]) -> list[Place]:
    """Where the pods mount it, each place once: a template may be that of both."""
    names: dict[Place, list[str]] = defaultdict(list)
    for container, volume in pods:
        names[volume.place("source" if volume.has("source") else "target")].append(container.name)
    return [place._replace(message=f"mounted in {' and '.join(found)}") for place, found in names.items()]


# -- lifecycles


def _expired(project: Project, used: Sequence[tuple[View, list[Durable]]]) -> Iterator[Finding]:
    """Lifecycle rules of buckets, and what must not expire below their prefix."""
    for config in project.views:
        for expiry in config.elements("expiry"):
            days, prefix = expiry.value("days"), expiry.text("prefix") or ""
            if not isinstance(days, int) or not expiry.is_known("prefix"):
                continue
            struck: dict[object, tuple[View, Durable]] = {}
            for other, found in used:
                for durable in found:
                    if _is_struck(other, durable, expiry.name, prefix):
                        struck.setdefault(id(durable.setting.entry), (other, durable))
            if struck:
                yield _expiring(expiry, days, prefix, list(struck.values()))


def _is_struck(config: View, durable: Durable, bucket: str, prefix: str) -> bool:
    """Whether old files in a directory are still needed, and a rule of the bucket lets them expire."""
    key, location = durable.setting.key, durable.location
    name, _, path = location.path.removeprefix("//").partition("/")
    if location.scheme not in ("s3", "s3a", "s3p") or name != bucket or not contains(prefix, path):
        return False
    return key in (HIGH_AVAILABILITY, RESULTS) or (key == CHECKPOINTS and _is_incremental(config))


def _is_incremental(config: View) -> bool:
    return config.boolean(_INCREMENTAL) is True and (config.string(_BACKEND) or "").lower() in ("rocksdb", "forst")


def _expiring(expiry: ElementView, days: int, prefix: str, struck: Sequence[tuple[View, Durable]]) -> Finding:
    named = " and ".join(dict.fromkeys(f"{durable.setting.text}" for _, durable in struck[:2]))
    shared = any(durable.setting.key == CHECKPOINTS for _, durable in struck)
    why = (
        "incremental checkpoints still consist of older files"
        if shared
        else "the job graphs there are as old as the jobs"
    )
    return expiry.finding(
        f"objects of s3://{expiry.name}/{prefix} expire after {days} day{'s' if days != 1 else ''}, which concerns"
        f" {named}: {why}, so that jobs that have run for longer do not come back after a failure",
        of="days",
        key=f"{expiry.name}/{prefix}",
        help="leave these paths out of the rule's prefix, and let Flink delete old checkpoints",
        confidence=Confidence.MEDIUM,
        related=[
            expiry.place("prefix", "what expires"),
            *(place for _, durable in struck[:_MAX_NAMED] for place in durable.place()),
            *links(
                *(
                    (config.get(_INCREMENTAL), "files are shared among checkpoints")
                    for config, _ in struck[:1]
                    if shared
                )
            ),
        ],
        evidence={"bucket": expiry.name, "days": days},
        measure=-days,
    )


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
            "plugin for",
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
