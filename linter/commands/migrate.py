"""`flint migrate`: reads a configuration file, reports notes on its conversion, and writes the result."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable
from typing import TypedDict

from flink_flint.linter.commands.errors import PrintMessage
from flink_flint.linter.engine.discovery import HEAD, LARGEST_FILE, Source
from flink_flint.linter.filesystem.reading import read_named
from flink_flint.linter.filesystem.writing import Changed, create, print_or_save, replace_whole, save
from flink_flint.linter.flink.file_loading import CONFIG_YAML, FLINK_CONF, decode, encode
from flink_flint.linter.flink.releases import FIRST_CONFIG_YAML, KNOWN, MINORS, NEWEST, nearest_index, parse_release
from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.flink_files.flink_conf import FILE_FORMAT as FLINK_CONF_CARRIER
from flink_flint.linter.formats.recognition import looks_like_flink
from flink_flint.linter.migrate.config_maps import holds_old_files, migrate_manifest
from flink_flint.linter.migrate.conversion import migrate
from flink_flint.linter.model.document import FileFormat
from flink_flint.linter.model.masking import Mask
from flink_flint.linter.text.lazy_regex import regex
from flink_flint.linter.text.named_tuple import NamedTuple

_MANIFEST = regex(r"^(?:apiVersion|kind):", re.MULTILINE)


class MigrateArguments(NamedTuple):
    """The arguments of `flint migrate`."""

    file: str
    nested: bool
    write: bool
    output_file: str | None
    force: bool
    rename: bool
    to: str | None


def run_migrate(arguments: MigrateArguments, print_message: PrintMessage) -> int:
    """Migrate a file and return the exit status; raise ValueError for unusable input."""
    layout: _Layout = {"is_nested": arguments.nested, "to": _release(arguments.to), "rename": arguments.rename}
    path = _file(arguments.file)
    data = _read(path)
    shown = "standard input" if path == "-" else path
    file_format = _file_format(path, data)
    try:
        if file_format is None:
            is_template = path != "-" and not path.endswith((".yaml", ".yml"))
            text, _ = decode(data, kind=FLINK_CONF)
            migration = migrate(text, **layout, is_template=is_template)
            new, notes = encode(migration.text), migration.notes
        else:
            rewritten = migrate_manifest(Source(path, data, file_format), **layout)
            new, notes = file_format.write(rewritten.text, data), rewritten.notes
    except ValueError as error:
        raise ValueError(f"{shown}: {_without_secrets(data)(str(error))}; nothing was written") from None
    target = _target(path, arguments, in_place=file_format is not None)
    hide = _without_secrets(data) if notes else str
    for note in notes:
        print_message(f"{shown}:{note.line}: {hide(note.message)}", note.kind)
    if target is None:
        print_or_save(new.decode("utf-8", "surrogateescape"), None, CONFIG_YAML)
        return 0
    if target == path:
        _rewrite(path, data, new)
    else:
        _write(target, new, like=path)
    print_message(f"wrote {target}", "info")
    if os.path.basename(target) == CONFIG_YAML and os.path.isfile(old := _beside(target, FLINK_CONF)):
        print_message(
            f"delete {old} now: as long as it exists, Flink 1.19 and 1.20 read it instead of {CONFIG_YAML}", "info"
        )
    return 0


class _Layout(TypedDict):
    """How to write the result."""

    is_nested: bool
    to: int
    rename: bool


def _release(to: str | None) -> int:
    if to is None:
        return NEWEST
    release = parse_release(to)
    if nearest_index(release) < FIRST_CONFIG_YAML:
        raise ValueError(f"--to {to}: Flink reads {CONFIG_YAML} from {MINORS[FIRST_CONFIG_YAML]} on")
    if release.place is None:
        raise ValueError(f"--to: Flink {release} is not in the option catalogue, which has {KNOWN}")
    return release.place


def _beside(path: str, name: str) -> str:
    return os.path.join(os.path.dirname(path), name)


def _without_secrets(data: bytes) -> Callable[[str], str]:
    """Return a function that masks the file's secrets in messages. The migrated file itself contains them."""
    return Mask(data.decode("utf-8", "surrogateescape"), ())


def _file(path: str) -> str:
    """Return the file to migrate: the path itself, or the `flink-conf.yaml` in a directory."""
    if not os.path.isdir(path):
        return path
    inner = os.path.join(path, FLINK_CONF)
    if os.path.exists(inner):
        return inner
    there = f"it already has a {CONFIG_YAML}" if os.path.exists(os.path.join(path, CONFIG_YAML)) else "name the file"
    raise ValueError(f"{path}: there is no {FLINK_CONF} in it; {there}")


def _target(path: str, arguments: MigrateArguments, *, in_place: bool) -> str | None:
    """Return where to write: the file itself with `in_place`; None for standard output."""
    target = arguments.output_file
    if arguments.write:
        if target is not None:
            raise ValueError("--write and --output-file are mutually exclusive")
        if path == "-":
            raise ValueError(
                f"--write puts {CONFIG_YAML} next to a file, which standard input does not have: use --output-file"
            )
        if in_place:
            return path
        target = _beside(path, CONFIG_YAML)
    if target is None or target == "-":
        return None
    if os.path.exists(target):
        if path != "-" and os.path.exists(path) and os.path.samefile(path, target):
            raise ValueError(f"{target}: is the file to migrate, which is kept; name another one")
        if os.path.isfile(target) and not arguments.force:
            raise ValueError(f"{target}: already exists; --force overwrites it")
    return target


def _read(path: str) -> bytes:
    try:
        if path == "-":
            data = sys.stdin.buffer.read(LARGEST_FILE + 1)
        else:
            data = read_named(path, LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if len(data) > LARGEST_FILE:
        raise ValueError(f"{path}: more than {LARGEST_FILE // 1024**2} MiB: too large for a Flink configuration")
    return data


def _file_format(path: str, data: bytes) -> FileFormat | None:
    """Return the format of a manifest that contains a `flink-conf.yaml`; None for such a file itself."""
    name, head = os.path.basename(path), data[:HEAD].decode("utf-8", "replace")
    if path == "-":
        if _MANIFEST.search(head):
            raise ValueError(f"standard input: is a manifest, not a {FLINK_CONF}; give the path of the manifest")
        return None
    if name == FLINK_CONF:
        return None
    file_format = file_format_of(name, head)
    if file_format is None:
        if FLINK_CONF_CARRIER.named(name) or looks_like_flink(head, nested=False):
            return None
        raise ValueError(f"{path}: not a {FLINK_CONF} by its name or keys; `-` accepts any text")
    if file_format.kind == FLINK_CONF_CARRIER.kind:
        return None
    if holds_old_files(Source(path, data, file_format)):
        return file_format
    what = f"is already a {CONFIG_YAML}" if name == CONFIG_YAML else f"contains no {FLINK_CONF} under that name"
    raise ValueError(
        f"{path}: {what}; flint migrate accepts a {FLINK_CONF}, a ConfigMap with one, or its text from standard input"
    )


def _write(target: str, data: bytes, *, like: str) -> None:
    """Write a file with permissions no wider than those of the original."""
    made = False
    if like != "-" and not os.path.lexists(target):
        try:
            mode = stat.S_IMODE(os.stat(like).st_mode)
            create(target, mode)
            made = True
            os.chmod(target, mode)
        except OSError as error:
            if made:
                os.unlink(target)
            raise ValueError(f"{target}: cannot write it: {(error.strerror or str(error)).lower()}") from None
    try:
        save(target, data, "it")
    except BaseException:
        if made:
            os.unlink(target)
        raise


def _rewrite(path: str, old: bytes, new: bytes) -> None:
    try:
        replace_whole(path, old, new)
    except Changed:
        raise ValueError(f"{path}: has changed meanwhile; nothing was written, try again") from None
    except OSError as error:
        raise ValueError(f"{path}: cannot write it: {(error.strerror or str(error)).lower()}") from None
