"""Terraform, SQL, and shell scripts."""

from __future__ import annotations

from tests.formats.golden.marks import Forms, with_windows_line_ends


def _emr(body: str, before: str = "") -> str:
    return (
        f'{before}resource "aws_emr_cluster" "orders" {{\n  release_label = "emr-6.15.0"\n'
        f"  configurations_json = {body}\n}}\n"
    )


def _encoded(properties: str, before: str = "") -> str:
    return _emr(f'jsonencode([{{ Classification = "flink-conf", Properties = {properties} }}])', before)


TERRAFORM: Forms = {
    "one line": _encoded('{ ⟦"🦀"⟧ = ⟪"é"⟫, ⟦"rest.port"⟧ = ⟪"8081"⟫ }'),
    "comments between": _encoded('{\n  # 🦀\n  ⟦"rest.port"⟧ /* é */ = ⟪"8081"⟫ // ü\n  ⟦"web.tmpdir"⟧ = ⟪"/"⟫\n}'),
    "a tab and a colon": _encoded('{\n\t⟦"rest.port"⟧\t:\t⟪"8081"⟫,\n\t⟦"web.tmpdir"⟧ : ⟪"/🦀"⟫ }'),
    "interpolation": _encoded('{\n  ⟦"web.tmpdir"⟧ = ⟪"/${var.é}/🦀"⟫\n  ⟦"rest.port"⟧ = ⟪tostring(var.port)⟫\n}'),
    "escapes": _encoded('{\n  ⟦"web.tmpdir"⟧ = ⟪"/\\"$${x}\\"/\\u00e9"⟫, ⟦"rest.port"⟧ = ⟪"8081"⟫\n}'),
    "a local map": _encoded("local.flink", 'locals {\n  flink = { /* 🦀 */ ⟦"rest.port"⟧ = ⟪"8081"⟫ }\n}\n'),
    "a merged map": _encoded('merge({ ⟦"rest.port"⟧ = ⟪"8081"⟫ }, { ⟦parallelism⟧ = ⟪"é"⟫ })'),
    "a heredoc": _emr(
        '<<EOF\n[{"Classification": "flink-conf", "Properties": {⟦"é🦀"⟧: ⟪"x"⟫,\n⟦"rest.port"⟧: ⟪"8081"⟫}}]\nEOF'
    ),
    "an indented heredoc": _emr(
        '<<-EOF\n    [{"Classification": "flink-conf", "Properties": {\n      ⟦"web.tmpdir"⟧: ⟪"/${var.é}"⟫,'
        ' ⟦"rest.port"⟧: ⟪"8081"⟫}}]\n  EOF'
    ),
    "a value of another kind": _encoded('{ ⟦"web.submit.enable"⟧ = ⟪false⟫, # 🦀\n ⟦"rest.port"⟧ = ⟪8081⟫ }'),
}
SQL: Forms = {
    "quotes": "SET ⟦'execution.target'⟧ = ⟪'remote'⟫; /* 🦀 */ SET ⟦'x.y'⟧ = ⟪'it''s é'⟫; SET ⟦'rest.port'⟧ = ⟪'1'⟫;\n",
    "the old form": "SET ⟦execution.target⟧=⟪remote⟫; -- 🦀\nset\t⟦table.exec.state.ttl⟧ = ⟪1 h⟫ ;\n",
    "a comment between": (
        "SET ⟦'execution.target'⟧ = ⟪'remote'⟫;\n-- it's é\nSET /* ; ' */ ⟦'rest.port'⟧ -- 🦀\n = ⟪'1'⟫\n;\n"
    ),
    "two lines": "SET\n⟦'pipeline.name'⟧\n=\n⟪'🦀\né'⟫;\n",
    "options of a table": (
        "CREATE TABLE `🦀` (a INT COMMENT 'é') WITH (⟦'connector'⟧ = ⟪'kafka'⟫, /* ü */ ⟦'topic'⟧\t=\t⟪'it''s'⟫);\n"
    ),
    "a comment in the options": "CREATE TABLE t (a INT) WITH ('x🦀' = 'é', -- it's\n ⟦'connector'⟧ = ⟪'print'⟫);\n",
    "a statement in a set": (
        "SET ⟦'execution.runtime-mode'⟧ = ⟪'batch'⟫;\nBEGIN STATEMENT SET;\nINSERT INTO a SELECT '🦀;' FROM b;\nEND;\n"
        "SET ⟦'rest.port'⟧ = ⟪'1'⟫;\n"
    ),
    "a template": "SET ⟦'pipeline.name'⟧ = ⟪'{{ é }}'⟫;\nSET ⟦'rest.port'⟧ = ⟪'${🦀}'⟫;\n",
    "a value set twice": (
        "SET ⟦'parallelism.default'⟧ = ⟪'1'⟫;INSERT INTO a SELECT * FROM b;\n"
        "SET ⟦'parallelism.default'⟧ = ⟪'2'⟫;INSERT INTO a SELECT '🦀' FROM b;\n"
    ),
    "no semicolon": "\nSET ⟦'execution.target'⟧ = ⟪'remote'⟫;/* 🦀 */SET ⟦'rest.port'⟧ = ⟪'1'⟫",
}
SHELL: Forms = {
    "arguments": "# 🦀\nflink run -D⟦rest.port⟧=⟪1⟫ -D ⟦web.tmpdir⟧=⟪/é⟫ job.jar\n",
    "quotes": "É=🦀; flink run -D'⟦web.tmpdir⟧=⟪/a b⟫' \"-D⟦rest.port⟧=⟪1⟫\" job.jar\n",
    "quotes of the value": "flink run -D⟦web.tmpdir⟧=⟪'/🦀 é'⟫ -D⟦rest.port⟧=⟪\"1\"⟫ job.jar # x\n",
    "lines joined": "flink \\\n  run \\\n\t-D⟦web.tmpdir⟧=⟪/🦀⟫ \\\n  -D⟦rest.port⟧=⟪1⟫ job.jar\n",
    "a variable": "echo 🦀; flink run -D⟦web.tmpdir⟧=⟪$DIR⟫ -D⟦rest.port⟧=⟪${PORT:-1}⟫ job.jar\n",
    "two commands in a line": "echo '🦀' && flink run -D⟦rest.port⟧=⟪1⟫ a.jar; flink run -D⟦rest.port⟧=⟪2⟫ b.jar\n",
    "in a function": 'run() {\n\tlocal x="é🦀"\n\tflink run -D⟦rest.port⟧=⟪1⟫ "$@"\n}\n',
    "the options of Flink": "flink run ⟦-t⟧ ⟪yarn-application⟫ ⟦-p⟧ ⟪4⟫ '🦀.jar'\n",
    "equals in the value": "flink run -D⟦env.java.opts⟧=⟪-Da=b⟫ -D⟦rest.port⟧=⟪1⟫ é.jar\n",
    "in an if": "if [ \"$x\" = '🦀' ]; then flink run -D⟦rest.port⟧=⟪1⟫ a.jar; fi\n",
}
PYTHON: Forms = {
    "one text": "import os\nos.system('flink run -D⟦rest.port⟧=⟪1⟫ -D⟦web.tmpdir⟧=⟪/é⟫ job.jar')  # 🦀\n",
    "two quotes": "import os\né = os.system(\"flink run -D'⟦web.tmpdir⟧=⟪/a 🦀⟫' job.jar\")\n",
    "two literals": "import os\nos.system('flink run ' # é\n    \"-D⟦rest.port⟧=⟪1⟫ \"\n    '-D⟦a.🦀⟧=⟪b⟫ job.jar')\n",
    "a keyword": "é = subprocess\nBash(task_id='🦀', bash_command='flink run -D⟦rest.port⟧=⟪1⟫ job.jar')\n",
    "three quotes": 'import os\nos.system("""\n  flink run -D⟦web.tmpdir⟧=⟪/é⟫ job.jar\n""")  # 🦀\n',
    "a list": "import subprocess\nsubprocess.run(['flink', \"run\", '-D⟦rest.port⟧=⟪1⟫', 'é🦀'])\n",
    "a list with blanks": "# subprocess\nrun(['flink', 'run', '-D⟦web.tmpdir⟧=⟪/a é⟫', '-D', '⟦rest.port⟧=⟪1⟫', x])\n",
    "a raw text": "import os\nos.system(r'flink run -D⟦rest.port⟧=⟪1⟫ é.jar')  # 🦀\n",
    "two commands": "import os\nos.system('flink run -D⟦a.é⟧=⟪1⟫ a.jar; flink run -D⟦rest.port⟧=⟪2⟫ 🦀.jar')\n",
    "a template": "import os\nBash(bash_command='flink run -D⟦rest.port⟧=⟪{{ port }}⟫ é.jar')  # os.system 🦀\n",
    "a manifest": "# é🦀\nO(application_file='''\napiVersion: flink.apache.org/v1\nkind: FlinkSessionJob\n"
    "spec:\n  flinkConfiguration:\n    ⟦rest.port⟧: ⟪\"8081\"⟫ # é\n''')\n",
}

GOLDEN: dict[str, tuple[str, Forms]] = {
    "terraform": ("main.tf", with_windows_line_ends(TERRAFORM)),
    "sql": ("job.sql", with_windows_line_ends(SQL)),
    "shell": ("run.sh", with_windows_line_ends(SHELL)),
    "python commands": ("deploy.py", with_windows_line_ends(PYTHON)),
}
