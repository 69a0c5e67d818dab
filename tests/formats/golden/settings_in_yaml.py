"""Settings that are keys of YAML or JSON: custom resources, values, EMR, CloudFormation, and job configurations."""

from __future__ import annotations

from tests.formats.golden.marks import Forms, framed, with_windows_line_ends

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
    "a block of blocks": "state:\n  checkpoints:\n  # ä\n    ⟦dir⟧: ⟪s3://🦀/c⟫\nweb: # 🦀\n  ⟦timeout⟧: ⟪1⟫\n",
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

APPLICATION = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: é🦀}
spec:
  source:
    helm:
      values: |
        é: 🦀
        flinkConfiguration:
@10        other: 1
"""
RELEASE = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: é🦀}
spec:
  values:
    flinkConfiguration:
@6    other: 1
"""
KUBECTL = """resource "kubectl_manifest" "orders" { # é🦀
  yaml_body = <<-EOT
    apiVersion: flink.apache.org/v1beta1
    kind: FlinkSessionJob
    metadata: {name: "${var.name}-é"}
    spec:
      flinkConfiguration:
@8EOT
}
"""
PATCHES: Forms = {
    "a list": "# é🦀\n- op: add\n  path: /spec/flinkConfiguration/⟦rest.port⟧\n  value: ⟪'8081'⟫ # 🦀\n",
    "quotes": "- {op: replace, path: '/spec/flinkConfiguration/⟦rest.port⟧', value: ⟪\"é🦀\"⟫}\n",
    "a document": '---\n- op: replace\n  path: "/spec/flinkConfiguration/⟦web.tmpdir⟧"\n  value: ⟪8081⟫\n',
    "a slash and a tilde": "- op: add\n  path: /spec/flinkConfiguration/⟦a~1b~0🦀⟧\n  value: ⟪é⟫\n",
    "the whole mapping": "- op: add\n  path: /spec/flinkConfiguration\n  value: {⟦rest.port⟧: ⟪'🦀'⟫, ⟦a.é⟧: ⟪1⟫}\n",
}
PATCHES_JSON: Forms = {
    "one line": '[{"op":"add","path":"/spec/flinkConfiguration/⟦rest.port⟧","value":⟪"🦀"⟫}]',
    "lines": '[\n  {"op": "add", "path": "/spec/flinkConfiguration/⟦rest.port⟧",\n   "value": ⟪"é"⟫}\n]\n',
    "a mapping": '[{"op": "add", "path": "/spec/flinkConfiguration", "value": {⟦"rest.port"⟧: ⟪"🦀"⟫}}]\n',
}

PULUMI: Forms = {
    "quotes": """{% ⟦"rest.port"⟧: ⟪"8081"⟫, ⟦'web.tmpdir'⟧: ⟪'é🦀'⟫ %}""",
    "lines": """{%\n    ⟦"rest.port"⟧: ⟪"8081"⟫, // é\n    /* 🦀 */ ⟦'web.timeout'⟧: ⟪`10 s`⟫,\n%}\n""",
    "escapes": """{%⟦"rest.port"⟧: ⟪"\\u0038081"⟫, ⟦"web.tmpdir"⟧: ⟪'it\\'s 🦀'⟫%}""",
    "bare names": "{%⟦parallelism⟧: ⟪4⟫, ⟦e$_1⟧: ⟪'🦀'⟫%}",
    "what is no literal": "{%⟦'rest.port'⟧: ⟪port('🦀', {a: 1})⟫, ...more, [key]: 1, ⟦'web.tmpdir'⟧: ⟪a ?? 'é'⟫%}",
}
PULUMI_FRAME = (
    "// é🦀\nnew A('a', { apiVersion: 'flink.apache.org/v1', kind: 'FlinkSessionJob', spec: { flinkConfiguration: {",
    "} } });\n",
)

NOTEBOOKS: Forms = {
    name: '{"cells": [{"cell_type": "code", "source": ["%flink.ssql é🦀\\n", "-- 🦀 \\"x\\"\\n",\n' + cells + "\n]}]}\n"
    for name, cells in {
        "a setting": "\"SET ⟦'rest.port'⟧ = ⟪'8081'⟫;\"",
        "two settings of a line": "\"SET ⟦'rest.port'⟧ = ⟪'8081'⟫; SET ⟦'web.tmpdir'⟧ = ⟪'é🦀'⟫;\\n\"",
        "lines": "\"SET ⟦'rest.port'⟧ = ⟪'8081'⟫;\\n\",\n\"\\tSET\\t⟦'web.timeout'⟧=⟪'1'⟫\"",
        "an escape": "\"/* \\u00e9 */ SET ⟦'rest.port'⟧ = ⟪'8081'⟫\"",
        "another cell": '"SET ⟦\'rest.port\'⟧ = ⟪\'8081\'⟫"]}, {"cell_type": "code", "source": '
        "[\"%%flink_sql\\nSET ⟦'web.timeout'⟧ = ⟪'1 s'⟫\"",
    }.items()
}


PROPERTIES_JSON: Forms = {
    "JSON in one line": '{%⟦"rest.port"⟧: ⟪"🦀"⟫, ⟦"web.tmpdir"⟧: ⟪"8081"⟫, ⟦"parallelism.default"⟧: ⟪"4"⟫%}',
    "JSON with escapes": '{%⟦"rest\\u002eport"⟧: ⟪"8081"⟫, ⟦"parallelism.default"⟧ : ⟪"\\u0034"⟫%}',
    "JSON with tabs": '{%\n\n\t⟦"rest.port"⟧\t:\n\t⟪"8081"⟫\n\t,⟦"parallelism.default"⟧:⟪"4"⟫\n%}\n',
}

MERGED_YAML: Forms = {
    "a merge key": "<<: {⟦web.timeout⟧: ⟪'10 s'⟫, ⟦rest.port⟧: ⟪8081⟫} # é🦀\n⟦rest.address⟧: ⟪🦀⟫\n",
    "merged lists": "<<: [{⟦rest.port⟧: ⟪1⟫}, {⟦web.timeout⟧: ⟪é⟫}]\n⟦rest.address⟧: ⟪a⟫ # 🦀\n",
}
"""What readers that take settings from an object merge."""


def in_json(start: str, end: str) -> dict[str, str]:
    """Return the JSON forms between the text before and after them."""
    return {name: text.replace("{%", start).replace("%}", end) for name, text in PROPERTIES_JSON.items()}


_CR_JSON = (
    '{"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "é🦀"}, '
    '"spec": {"flinkVersion": "v1_20", "flinkConfiguration": {'
)
_EMR_JSON = '[{"Classification": "flink-conf", "Properties": {'
_CFN_JSON = (
    '{"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"🦀": {"Type": "AWS::EMR::Cluster", "Properties": '
    '{"ReleaseLabel": "emr-6.15.0", "Configurations": [{"Classification": "flink-conf", "ConfigurationProperties": {'
)
_JOB_JSON = '{"é": "🦀", "flink": {⟦"state.backend"⟧: ⟪"rocksdb"⟫, '

GOLDEN: dict[str, tuple[str, Forms]] = {
    "custom resource": (
        "o.yaml",
        with_windows_line_ends(framed(CUSTOM_RESOURCE, BLOCK_YAML, NESTED_YAML, MERGED_YAML)),
    ),
    "custom resource in JSON": ("o.json", with_windows_line_ends(in_json(_CR_JSON, "}}}"))),
    "other custom resource": ("o.yaml", with_windows_line_ends(framed(OTHER_RESOURCE, BLOCK_YAML, MERGED_YAML))),
    "ververica values": ("values.yaml", with_windows_line_ends(framed(VERVERICA, BLOCK_YAML))),
    "helm values": ("values.yaml", with_windows_line_ends(framed(HELM, BLOCK_YAML, NESTED_YAML, MERGED_YAML))),
    "emr": ("emr.yaml", with_windows_line_ends(framed(EMR, BLOCK_YAML))),
    "emr in JSON": ("emr.json", with_windows_line_ends(in_json(_EMR_JSON, "}}]"))),
    "cloud formation": ("t.yaml", with_windows_line_ends(framed(CLOUD_FORMATION, BLOCK_YAML))),
    "cloud formation in JSON": ("t.json", with_windows_line_ends(in_json(_CFN_JSON, "}}]}}}}"))),
    "config.yaml": ("config.yaml", with_windows_line_ends(framed(CONFIG_YAML, BLOCK_YAML, NESTED_YAML))),
    "job config": ("job.yaml", with_windows_line_ends(framed(JOB_YAML, BLOCK_YAML, NESTED_YAML))),
    "job config in JSON": ("job.json", with_windows_line_ends(in_json(_JOB_JSON, "}}"))),
    "application": ("application.yaml", with_windows_line_ends(framed(APPLICATION, BLOCK_YAML, NESTED_YAML))),
    "release of a chart": ("release.yaml", with_windows_line_ends(framed(RELEASE, BLOCK_YAML, NESTED_YAML))),
    "object in TypeScript": (
        "index.ts",
        with_windows_line_ends(
            {name: text.replace("{%", PULUMI_FRAME[0]).replace("%}", PULUMI_FRAME[1]) for name, text in PULUMI.items()}
        ),
    ),
    "notebook": ("a.ipynb", with_windows_line_ends(NOTEBOOKS)),
    "kubectl manifest": ("main.tf", with_windows_line_ends(framed(KUBECTL, BLOCK_YAML))),
    "patch": ("patch.yaml", with_windows_line_ends(PATCHES)),
    "patch in JSON": ("patch.json", with_windows_line_ends(PATCHES_JSON)),
    "kustomization": ("kustomization.yaml", with_windows_line_ends(framed(KUSTOMIZATION, BLOCK_YAML))),
}
