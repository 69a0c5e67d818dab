"""What the places of keys and values cut out of the text, for every carrier, over the forms in which they go wrong.

A case is a text with its own answer in it: ``⟦`` and ``⟧`` stand around a key, ``⟪`` and ``⟫`` around its value (a key
without one, before an alias, has the value before it). The text is read without these marks. Every marked pair must be
the places of a setting, or of an attribute of an element, and no setting written in the file may stand unmarked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest

from linter.carriers import carriers
from linter.text import Span
from tests.carriers.reading import carrier, read

_MARKS = re.compile("[⟦⟧⟪⟫]")
Forms = Mapping[str, str]


def unmarked(marked: str) -> tuple[str, set[tuple[Span, Span]]]:
    """The text itself, and the places of keys with those of their values."""
    pieces: list[str] = []
    length = done = start = 0
    key: Span | None = None
    value = Span(0, 0)
    pairs: set[tuple[Span, Span]] = set()
    alone = False
    for mark in _MARKS.finditer(marked):
        pieces.append(marked[done : mark.start()])
        length += mark.start() - done
        done = mark.end()
        if mark[0] in "⟦⟪":
            start = length
        elif mark[0] == "⟧":
            if alone and key is not None:
                pairs.add((key, value))
            key, alone = Span(start, length), True
        else:
            assert key is not None
            value, alone = Span(start, length), False
            pairs.add((key, value))
    if alone and key is not None:
        pairs.add((key, value))
    return "".join(pieces) + marked[done:], pairs


def indented(form: str, by: int) -> str:
    return "".join(" " * by + line if line.strip() else line for line in form.splitlines(keepends=True))


# -- settings in YAML, whatever the file

BLOCK_YAML: Forms = {
    "comments, blanks and a tab": (
        "⟦rest.port⟧  :   ⟪8081⟫   # ä: 1\n\n# between: 2\n⟦web.submit.enable⟧: ⟪false⟫\t# a tab\n"
    ),
    "quotes": "⟦'rest.port'⟧: ⟪\"8081\"⟫\n⟦\"web.tmpdir\"⟧: ⟪'it''s 🦀: # x'⟫ # y\n",
    "a folded block": "⟦env.java.opts⟧: ⟪>-\n  -Da=ä\n  -Db=🦀⟫\n⟦rest.port⟧: ⟪8081⟫\n",
    "a literal block with an indicator": "⟦env.java.opts⟧: ⟪|2-\n   -Da=ä\n  -Db=c⟫\n# then\n⟦rest.port⟧: ⟪8081⟫\n",
    "a plain text of two lines": "⟦env.java.opts⟧: ⟪-Da=b\n  -Dc=🦀⟫ # told\n⟦rest.port⟧: ⟪8081⟫\n",
    "quotes over two lines": '⟦env.java.opts⟧: ⟪"-Da=\\"b\\"\n\n  -Dc=\\U0001F980"⟫\n⟦rest.port⟧: ⟪\'8081\'⟫\n',
    "an anchor and its alias": "⟦rest.port⟧: &port ⟪8081⟫\n⟦rest.bind-port⟧: *port\n",
    "an explicit key": "? ⟦rest.port⟧\n: ⟪8081⟫\n? ⟦'web.submit.enable'⟧\n: ⟪false⟫\n",
    "a value below its key": "⟦rest.port⟧: # ä\n  # 🦀\n  ⟪8081⟫\n⟦web.timeout⟧:\n  ⟪'10 s'⟫\n",
    "a value in a template": '⟦rest.port⟧: ⟪{{ .Values.port }}⟫\n⟦web.timeout⟧: ⟪"{{ ä🦀 }} s"⟫ # x\n',
}
"""What every file of YAML can hold at the margin of its settings."""
NESTED_YAML: Forms = {
    "a flow mapping": "rest: {⟦bind-address⟧: ⟪🦀⟫, ⟦port⟧: ⟪8081⟫, # ä\n  ⟦address⟧: ⟪'é'⟫ }\n",
    "a block of blocks": "rest:\n  bind:\n  # ä\n    ⟦port⟧: ⟪8081⟫\nweb: # 🦀\n  ⟦timeout⟧: ⟪1⟫\n",
    "lists": "⟦pipeline.jars⟧: ⟪[a.jar, '🦀.jar']⟫ # ä\n⟦pipeline.classpaths⟧:\n  ⟪- file:/a\n  - file:/b⟫\n",
}
"""What only readers of nested mappings take."""

CUSTOM_RESOURCE = """apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: o, labels: {x: "é🦀"}}
spec:
  flinkVersion: v1_20
  flinkConfiguration:
@4  taskManager: {resource: {memory: 2g}}
"""
OTHER_RESOURCE = """apiVersion: flinkoperator.k8s.io/v1beta1
kind: FlinkCluster
metadata: {name: clicks}
spec:
  flinkProperties:
@4  job: {parallelism: 6}
"""
VERVERICA = """vvp:
  globalDeploymentDefaults: |
    spec:
      template:
        spec:
          flinkConfiguration:
@12  sqlService: {x: 🦀}
"""
HELM = """# flink 🦀
app:
  image: {repository: flink, tag: 1.20.1}
  flinkConfiguration:
@4    ⟦taskmanager.numberOfTaskSlots⟧: ⟪2⟫
other: {}
"""
EMR = """ReleaseLabel: emr-6.15.0
Configurations:
  - Classification: flink-conf
    Properties:
@6"""
CLOUD_FORMATION = """AWSTemplateFormatVersion: '2010-09-09'
Resources:
  Cluster:
    Type: AWS::EMR::Cluster
    Properties:
      Name: é🦀
      ReleaseLabel: emr-6.15.0
      Configurations:
        - Classification: flink-conf
          ConfigurationProperties:
@12      Tags: []
"""
CONFIG_YAML = "⟦jobmanager.rpc.address⟧: ⟪jm⟫ # ü\n⟦taskmanager.numberOfTaskSlots⟧: ⟪2⟫\n@0"
JOB_YAML = """job: 🦀
flink:
  ⟦state.backend⟧: ⟪rocksdb⟫
  ⟦parallelism.default⟧: ⟪4⟫
  ⟦execution.checkpointing.interval⟧: ⟪1 min⟫
@2"""
KUSTOMIZATION = """patches:
  - patch: |
      apiVersion: flink.apache.org/v1beta1
      kind: FlinkDeployment
      metadata: {name: é}
      spec:
        flinkConfiguration:
@10  - path: other.yaml
"""


def framed(frame: str, *forms: Forms) -> dict[str, str]:
    """Each form in a frame: a line of ``@`` and a number is where it goes, and how far to the right.

    The forms with the line ends of Windows are cases of their own.
    """
    place = re.search(r"(?m)^@(\d+)", frame)
    assert place is not None
    cases = {}
    for one in forms:
        for name, form in one.items():
            text = frame[: place.start()] + indented(form, int(place[1])) + frame[place.end() :]
            cases[name] = text
            cases[f"{name}, CRLF"] = text.replace("\n", "\r\n")
    return cases


def without(forms: Forms, *names: str) -> Forms:
    return {name: form for name, form in forms.items() if name not in names}


MERGED = """x: &common
  ⟦rest.port⟧: ⟪8081⟫ # é
"""

GOLDEN: dict[str, tuple[str, Forms]] = {
    "custom resource": ("o.yaml", framed(CUSTOM_RESOURCE, BLOCK_YAML, NESTED_YAML)),
    "other custom resource": ("o.yaml", framed(OTHER_RESOURCE, BLOCK_YAML)),
    "ververica values": ("values.yaml", framed(VERVERICA, BLOCK_YAML)),
    "helm values": ("values.yaml", framed(HELM, BLOCK_YAML, NESTED_YAML)),
    "emr": ("emr.yaml", framed(EMR, BLOCK_YAML)),
    "cloud formation": ("t.yaml", framed(CLOUD_FORMATION, BLOCK_YAML)),
    "config.yaml": ("config.yaml", framed(CONFIG_YAML, BLOCK_YAML, NESTED_YAML)),
    "job config": ("job.yaml", framed(JOB_YAML, BLOCK_YAML, NESTED_YAML)),
    "kustomization": ("kustomization.yaml", framed(KUSTOMIZATION, BLOCK_YAML)),
}

CASES = [
    pytest.param(file, text, id=f"{kind}: {name}") for kind, (file, forms) in GOLDEN.items() for name, text in forms.items()
]


@pytest.mark.parametrize(("file", "marked"), CASES)
def test_places_cut_exactly_the_key_and_the_value(file: str, marked: str) -> None:
    text, wanted = unmarked(marked)
    documents = read(file, text)
    settings = {(e.key_span, e.value_span): e.style for document in documents for e in document.entries}
    attributes = {
        (attribute.key_span, attribute.span)
        for document in documents
        for element in document.elements
        for attribute in element.attributes.values()
        if attribute.key_span is not None
    }
    def shown(pairs):
        return sorted((tuple(k), tuple(v), text[slice(*k)], text[slice(*v)]) for k, v in pairs)

    missing = wanted - settings.keys() - attributes
    assert not missing, (shown(missing), shown(settings))
    unmarked_ones = {pair for pair, style in settings.items() if style != "implied"} - wanted
    assert not unmarked_ones, shown(unmarked_ones)
