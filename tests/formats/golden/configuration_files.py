"""flink-conf.yaml, alone and inside other files: ConfigMaps, containers, and Docker."""

from __future__ import annotations

from tests.formats.golden.marks import Forms, framed, with_windows_line_ends

LEGACY: Forms = {
    "comments and blanks": "⟦rest.port⟧  :   ⟪8081⟫   # ä: 1\n\n  # x: 2\n⟦web.submit.enable⟧: ⟪false⟫\t# a tab\n",
    "quotes are part of the value": "⟦rest.port⟧: ⟪'8081'⟫\n⟦web.tmpdir⟧: ⟪\"ä🦀\"⟫ #x\n",
    "an indented key": "  ⟦rest.port⟧: ⟪8081⟫\n\t⟦web.timeout⟧: ⟪1⟫\n",
    "colons in the value": "⟦env.java.opts⟧: ⟪-Da=b: c -Dx=http://🦀:80/⟫\n⟦rest.port⟧: ⟪1⟫\n",
    "a template": "⟦rest.port⟧: ⟪{{ port | default('ä') }}⟫ # {{ x }}\n⟦rest.address⟧: ⟪${HOST}⟫\n",
    "lines that are dropped": "rest.port:1\nrest.port=2\n  - 🦀\n⟦rest.port⟧: ⟪8081⟫\n---\n",
    "the same key again": "⟦rest.port⟧: ⟪1⟫\n⟦rest.port⟧: ⟪2⟫ # 🦀\n",
    "no line end": "# 🦀\n⟦rest.port⟧: ⟪8081⟫",
    "no key is Flink's": "⟦ä🦀⟧: ⟪é 🦀⟫ # x\n⟦rest.port⟧: ⟪8081⟫\n",
}
EMBEDDED = {name: form for name, form in LEGACY.items() if name not in ("an indented key", "no line end")}
CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: "flink-é🦀"}
data:
  flink-conf.yaml: |
@4  other: x
"""
CONFIG_MAPS: Forms = {
    "an indentation indicator": """apiVersion: v1
kind: ConfigMap
metadata: {name: flink}
data:
  x: é🦀
  config.yaml: |2-
      taskmanager:
        ⟦numberOfTaskSlots⟧: ⟪2⟫ # é
        memory: {process: {⟦size⟧: ⟪4g⟫}} # 🦀
""",
    "folded": """apiVersion: v1
kind: ConfigMap
metadata: {name: flink}
data:
  flink-conf.yaml: >
    ⟦rest.port⟧: ⟪8081⟫ # 🦀

    ⟦rest.address⟧: ⟪é⟫
""",
    "double quotes": """apiVersion: v1
kind: ConfigMap
metadata: {name: flink}
data: {"🦀": é, "flink-conf.yaml": "⟦rest.port⟧: ⟪8081⟫\\n\\x23\\x20🦀\\n⟦web.tmpdir⟧: ⟪/\\xe9\\\\🦀⟫\\n"}
""",
    "single quotes": """apiVersion: v1
kind: ConfigMap
metadata: {name: flink}
data:
  flink-conf.yaml: '⟦rest.port⟧: ⟪8081⟫

    # it''s 🦀

    ⟦web.tmpdir⟧: ⟪''/é''⟫'
""",
    "a list of objects": """apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: 🦀}
  data:
    flink-conf.yaml: |-
      # é
      ⟦rest.port⟧: ⟪8081⟫
""",
}
WORKLOAD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: "jm-é🦀"}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.18.0
          args: ["jobmanager"]
          env:
            - name: FLINK_PROPERTIES
              value: |
@16"""
WORKLOADS: Forms = {
    name: f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: "jm-é🦀"}}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.18.0
          {how}
"""
    for name, how in {
        "arguments in a flow": "args: [\"jobmanager\", '🦀', \"-D⟦rest.port⟧=⟪8082⟫\", -D, '⟦web.tmpdir⟧=⟪/é⟫']",
        "arguments in a block": "args:\n            - jobmanager # 🦀\n            - -D⟦rest.port⟧=⟪8082⟫ # é\n"
        '            - "-D⟦web.tmpdir⟧=⟪/\\xe9/🦀⟫"',
        "escapes before": 'args: ["jobmanager", "-D⟦a.é⟧=⟪\\t\\"🦀\\"⟫", "-D⟦rest.port⟧=⟪8082⟫"]',
        "a folded script": "command: [sh, -c]\n          args:\n            - >-\n              exec 🦀;\n"
        "              /docker-entrypoint.sh jobmanager -D⟦rest.port⟧=⟪8082⟫",
    }.items()
}
COMPOSE: Forms = {
    "a literal block": """services:
  jobmanager: # é🦀
    image: flink:1.18.1
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        # 🦀
        ⟦rest.port⟧: ⟪8081⟫ # é

        ⟦web.tmpdir⟧: ⟪/🦀⟫
""",
    "an indentation indicator": """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |2-
         ⟦rest.port⟧: ⟪8081⟫
        ⟦web.tmpdir⟧: ⟪/🦀⟫
""",
    "an item of a list": """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment:
      - "X=🦀"
      - |
        FLINK_PROPERTIES=⟦rest.port⟧: ⟪8081⟫
        ⟦web.tmpdir⟧: ⟪/é⟫
""",
    "double quotes": """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment: {É: 🦀, FLINK_PROPERTIES: "# \\xe9\\n⟦rest.port⟧: ⟪8081⟫\\n⟦web.tmpdir⟧: ⟪/\\u00e9⟫"}
""",
    "single quotes": """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager
    environment:
      - 'FLINK_PROPERTIES=⟦rest.port⟧: ⟪8081⟫

        ⟦web.tmpdir⟧: ⟪/it''s🦀⟫'
""",
    "a variable with a default": """services:
  jobmanager:
    image: flink:1.18.1
    command: jobmanager -D ⟦rest.port⟧=⟪${PORT:-8082}⟫ -D⟦web.tmpdir⟧=⟪$$x⟫
    environment:
      - "FLINK_PROPERTIES=⟦rest.bind-port⟧: ⟪${P:-8083}⟫"
""",
    "a command in one line": """services:
  jobmanager:
    image: flink:1.18.1
    command: 'standalone-job -j "🦀 é" -D⟦rest.port⟧=⟪8082⟫ -D "⟦web.tmpdir⟧=⟪/a b⟫"'
""",
    "a folded command": """services:
  jobmanager:
    image: flink:1.18.1
    command: >
      standalone-job
      -j 🦀
      -D⟦rest.port⟧=⟪8082⟫
      -D⟦web.tmpdir⟧=⟪/é⟫
""",
    "a command as a list": """services:
  jobmanager:
    image: flink:1.18.1
    command: ["jobmanager", "\\U0001F980", "-D⟦rest.port⟧=⟪8082⟫", '-D⟦web.tmpdir⟧=⟪/é⟫'] # x
""",
    "a merged anchor": """x-flink: &flink
  image: flink:1.18.1
  environment:
    - &env |
      FLINK_PROPERTIES=
      # 🦀
      ⟦rest.port⟧: ⟪8081⟫
services:
  jobmanager:
    <<: *flink
    command: jobmanager
""",
}
DOCKERFILE: Forms = {
    "a variable in quotes": 'FROM flink:1.20\nENV É="🦀" FLINK_PROPERTIES="⟦rest.port⟧: ⟪8082⟫" A=b\n',
    "the old form": "FROM flink:1.20\n# 🦀\nENV FLINK_PROPERTIES ⟦rest.port⟧: ⟪8082⟫\n",
    "lines joined": 'FROM flink:1.20\nENV A=🦀 \\\n    # between\n    FLINK_PROPERTIES="⟦rest.port⟧: ⟪8082⟫"\n',
    "echo": 'FROM flink:1.20\nRUN echo 🦀 && echo "⟦rest.port⟧: ⟪8083⟫" >> /opt/flink/conf/flink-conf.yaml\n',
    "echo in single quotes": "FROM flink:1.20\nRUN echo '⟦rest.port⟧: ⟪8083⟫' >> $FLINK_HOME/conf/flink-conf.yaml # é",
    "echoes joined": (
        'FROM flink:1.20\nRUN echo "⟦web.tmpdir⟧: ⟪/é🦀⟫" >> /opt/flink/conf/flink-conf.yaml && \\\n'
        "\techo '⟦rest.port⟧: ⟪8083⟫' >> $FLINK_HOME/conf/flink-conf.yaml\n"
    ),
    "escapes": 'FROM flink:1.20\nENV FLINK_PROPERTIES="⟦web.tmpdir⟧: ⟪/\\"🦀\\"⟫"\n',
    "lower case": 'from flink:1.20 as é\nenv FLINK_PROPERTIES="⟦rest.port⟧: ⟪8082⟫"\n',
    "a tab": 'FROM\tflink:1.20\nENV\tA="🦀"\tFLINK_PROPERTIES="⟦rest.port⟧: ⟪8082⟫"\n',
    "single quotes": "FROM flink:1.20\nENV É='🦀' FLINK_PROPERTIES='⟦rest.port⟧: ⟪8082⟫'\n",
}


GOLDEN: dict[str, tuple[str, Forms]] = {
    "flink-conf.yaml": ("flink-conf.yaml", with_windows_line_ends(LEGACY)),
    "ConfigMap, flink-conf.yaml": ("cm.yaml", framed(CONFIG_MAP, EMBEDDED)),
    "ConfigMap": ("cm.yaml", with_windows_line_ends(CONFIG_MAPS)),
    "workload, FLINK_PROPERTIES": ("d.yaml", framed(WORKLOAD, EMBEDDED)),
    "workload": ("d.yaml", with_windows_line_ends(WORKLOADS)),
    "compose": ("compose.yaml", with_windows_line_ends(COMPOSE)),
    "Dockerfile": ("Dockerfile", with_windows_line_ends(DOCKERFILE)),
}
