"""Charts with values files and subcharts, which flint and Helm must render alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tests.formats.helm.charts import CHART

SHOWS = "values: {{ toJson .Values }}\nname: {{ .Chart.Name }}\ntemplate: {{ .Template.Name }}\n"


class WholeChart(NamedTuple):
    """The files of a chart in the folder `orders`, the values files it is rendered with, and the values it must see."""

    name: str
    files: Mapping[str, str]
    values: Sequence[str]
    seen: Mapping[str, object]
    """By the name of the template."""


def _sub(name: str, values: str, more: str = "") -> dict[str, str]:
    place = f"orders/charts/{name}"
    return {
        f"{place}/Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 0.1.0\n{more}",
        f"{place}/values.yaml": values,
        f"{place}/templates/main.yaml": SHOWS,
    }


def _root(values: str, dependencies: str = "") -> dict[str, str]:
    return {
        "orders/Chart.yaml": CHART + (f"dependencies:\n{dependencies}" if dependencies else ""),
        "orders/values.yaml": values,
        "orders/templates/main.yaml": SHOWS,
    }


ROOT = "orders/templates/main.yaml"
REDIS = "orders/charts/redis/templates/main.yaml"

WHOLE_CHARTS = (
    WholeChart(
        "values files overlay each other",
        {
            **_root("a: {b: 1, c: 2, d: {e: 1}}\nlist: [1, 2]\ngone: {x: 1}\nkept: 1\n"),
            "orders/values-dev.yaml": "a: {c: 3, d: {f: 2}}\nlist: [3]\ngone: null\n",
            "orders/values-prod.yaml": "a: {c: 4, b: null}\n",
        },
        ["orders/values-dev.yaml", "orders/values-prod.yaml"],
        {ROOT: {"a": {"c": 4, "d": {"e": 1, "f": 2}}, "list": [3], "kept": 1}},
    ),
    WholeChart(
        "a subchart sees its own values, and global ones",
        {
            **_root("redis: {port: 2, x: null}\nglobal: {zone: eu, deep: {a: 1}}\nown: 1\n"),
            **_sub("redis", "port: 1\nhost: r\nx: 1\nglobal: {zone: us, other: 1, deep: {a: 2, b: 2}}\n"),
        },
        [],
        {
            ROOT: {
                "redis": {
                    "port": 2, "host": "r", "global": {"zone": "eu", "other": 1, "deep": {"a": 1, "b": 2}},
                },
                "global": {"zone": "eu", "deep": {"a": 1}}, "own": 1,
            },
            REDIS: {"port": 2, "host": "r", "global": {"zone": "eu", "other": 1, "deep": {"a": 1, "b": 2}}},
        },
    ),
    WholeChart(
        "conditions and tags disable subcharts",
        {
            **_root(
                "redis: {enabled: false}\nkafka: {enabled: true}\ntags: {db: false}\n",
                "- {name: redis, version: 0.x.x, condition: redis.enabled}\n"
                "- {name: kafka, version: '>=0', condition: 'none.enabled,kafka.enabled', tags: [db]}\n"
                "- {name: mysql, version: 0.1.0, tags: [db]}\n",
            ),
            **_sub("redis", "a: 1\n"),
            **_sub("kafka", "a: 1\n"),
            **_sub("mysql", "a: 1\n"),
        },
        [],
        {
            ROOT: {
                "redis": {"enabled": False}, "kafka": {"enabled": True, "a": 1, "global": {}}, "tags": {"db": False},
            },
            "orders/charts/kafka/templates/main.yaml": {"enabled": True, "a": 1, "global": {}},
        },
    ),
    WholeChart(
        "an alias renames a subchart, which may occur twice",
        {
            **_root(
                "cache: {a: 2}\n",
                "- {name: redis, version: 0.1.0, alias: cache}\n- {name: redis, version: 0.1.0, alias: queue}\n",
            ),
            **_sub("redis", "a: 1\n"),
        },
        [],
        {
            ROOT: {"cache": {"a": 2, "global": {}}, "queue": {"a": 1, "global": {}}},
            "orders/charts/cache/templates/main.yaml": {"a": 2, "global": {}},
            "orders/charts/queue/templates/main.yaml": {"a": 1, "global": {}},
        },
    ),
    WholeChart(
        "values of a subchart are imported",
        {
            **_root(
                "own: {a: 9}\n",
                "- name: redis\n  version: 0.1.0\n  import-values:\n  - data\n  - {child: inner, parent: own}\n",
            ),
            **_sub("redis", "exports: {data: {port: 1}}\ninner: {a: 1, b: 2}\n"),
        },
        [],
        {
            ROOT: {
                "own": {"a": 9, "b": 2}, "port": 1,
                "redis": {"exports": {"data": {"port": 1}}, "inner": {"a": 1, "b": 2}, "global": {}},
            },
            REDIS: {"exports": {"data": {"port": 1}}, "inner": {"a": 1, "b": 2}, "global": {}},
        },
    ),
    WholeChart(
        "a library defines templates, and a chart of the repository is a dependency",
        {
            **_root("name: x\n", "- {name: lib, version: 0.1.0, repository: 'file://../lib'}\n"),
            "orders/templates/main.yaml": '{{ include "lib.values" . }}\n',
            "lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 0.1.0\ntype: library\n",
            "lib/templates/_lib.tpl": '{{ define "lib.values" }}values: {{ toJson .Values }}{{ end }}',
            "lib/templates/not-rendered.yaml": "a: 1\n",
        },
        [],
        {ROOT: {"name": "x", "lib": {"global": {}}}},
    ),
    WholeChart(
        "files that are ignored, notes and partials are not rendered, and the outer definition wins",
        {
            **_root(""),
            **_sub("redis", ""),
            "orders/.helmignore": "# comment\n*.bak\ndrafts/\n/templates/old.yaml\n",
            "orders/templates/a.bak": "{{ broken",
            "orders/templates/drafts/b.yaml": "{{ broken",
            "orders/templates/old.yaml": "{{ broken",
            "orders/templates/NOTES.txt": "installed",
            "orders/templates/_x.tpl": '{{ define "n" }}outer{{ end }}',
            "orders/charts/redis/templates/_x.tpl": '{{ define "n" }}inner{{ end }}',
            "orders/templates/main.yaml": 'values: {{ include "n" . }}\n',
            "orders/charts/redis/templates/main.yaml": 'values: {{ include "n" . }}\n',
        },
        [],
        {ROOT: "outer", REDIS: "outer"},
    ),
    WholeChart(
        "changes of values are seen by templates that are rendered later",
        {
            **_root("a: 1\n"),
            "orders/templates/b.yaml": '{{ $_ := set .Values "a" 2 }}values: {{ .Values.a }}\n',
            "orders/templates/a.yaml": "values: {{ .Values.a }}\n",
        },
        [],
        {ROOT: {"a": 1}, "orders/templates/b.yaml": 2, "orders/templates/a.yaml": 2},
    ),
    WholeChart(
        "YAML that only some libraries read",
        {
            **_root(
                "a: |\n \n  x\nb: \"it\\'s\"\nc: yes\nd: 1_000\n<<: {e: 1}\nbase: &b {f: 1}\ng: {<<: *b, h: 2}\n"
                "i: |-\n#  comment\nj: 0o17\nk: 017\nl: !!str 12\nm: 1e3\n1: one\ntrue: t\n"
            )
        },
        [],
        {
            ROOT: {
                "a": "\nx\n", "b": "it's", "c": True, "d": 1000, "e": 1, "base": {"f": 1}, "g": {"f": 1, "h": 2},
                "i": "", "j": 15, "k": 15, "l": "12", "m": 1000, "1": "one", "true": "t",
            }
        },
    ),
)  # fmt: skip
