"""Java properties, HOCON, and TOML of jobs."""

from __future__ import annotations

from tests.formats.golden.marks import Forms, framed, with_windows_line_ends

_PROPERTIES = "# 🦀\n⟦state.backend⟧=⟪rocksdb⟫\n⟦parallelism.default⟧ = ⟪4⟫\n@0"
PROPERTIES: Forms = {
    "equals and blanks": "  ⟦rest.port⟧  =   ⟪8081⟫\n",
    "a colon": "⟦rest.port⟧:⟪8081⟫\n\t⟦web.tmpdir⟧\t:\t⟪/🦀⟫\n",
    "blanks alone": "⟦rest.port⟧ ⟪8081⟫\n⟦web.tmpdir⟧\t⟪/a b⟫\n",
    "lines joined": "⟦env.java.opts⟧ = ⟪-Da=b \\\n   -Dc=🦀⟫\n⟦rest.port⟧=⟪8081⟫\n",
    "escapes": "⟦web.tmpdir⟧=⟪/\\u00e9\\t🦀\\\\⟫\n⟦rest.port⟧=⟪8081⟫\n",
    "comments between": "! é = 🦀\n\n  # rest.port = 1 \\\n⟦rest.port⟧=⟪8081⟫\n",
    "a hash in the value": "⟦web.tmpdir⟧=⟪/🦀#é = :⟫\n⟦rest.port⟧=⟪8081⟫\n",
    "no value": "⟦web.tmpdir⟧=⟪⟫\n⟦rest.port⟧=⟪8081⟫\n",
    "a template": "⟦web.tmpdir⟧=⟪${é}/🦀⟫\n⟦rest.port⟧=⟪{{ port }}⟫\n",
    "the same key again": "⟦rest.port⟧=⟪1⟫\n⟦rest.port⟧=⟪2⟫\n",
}
_HOCON = "// 🦀\nflink {\nstate.⟦backend⟧ = ⟪rocksdb⟫\nparallelism.⟦default⟧ = ⟪4⟫\n@2}\n"
HOCON: Forms = {
    "comments": "// é\nrest.⟦port⟧ = ⟪8081⟫ # 🦀\n",
    "quotes": '⟦"rest.port"⟧ : ⟪"8081"⟫, web.⟦tmpdir⟧ = ⟪"/\\u00e9\\"🦀"⟫\n',
    "a section": "rest { ⟦port⟧ = ⟪8081⟫, ⟦address⟧ = ⟪🦀⟫ }\n",
    "a section over lines": "rest\n{\n  // é\n\t⟦port⟧\t=\t⟪8081⟫\n}\n",
    "triple quotes": 'pipeline.⟦name⟧ = ⟪"""🦀\n"é" """⟫\nrest.⟦port⟧ = ⟪1⟫\n',
    "a text with blanks": "execution.checkpointing.⟦interval⟧ = ⟪60 s⟫ // 🦀\nrest.⟦port⟧ = ⟪1⟫\n",
    "a list": 'pipeline.⟦classpaths⟧ = ⟪[ "file:/🦀", é\n  "c" ]⟫\nrest.⟦port⟧ = ⟪1⟫\n',
    "a substitution": 'web.⟦tmpdir⟧ = ⟪${é}"/🦀"⟫\nrest.⟦port⟧ = ⟪${?PORT}⟫\n',
    "no equals sign": 'x { "🦀" = é }, rest { ⟦port⟧ = ⟪1⟫ }\n',
    "no blanks": '"🦀"=1,rest.⟦port⟧=⟪8081⟫,web.⟦tmpdir⟧=⟪"/,é"⟫\n',
}
_TOML = '# 🦀\n[flink]\nstate.⟦backend⟧ = ⟪"rocksdb"⟫\nparallelism.⟦default⟧ = ⟪4⟫\n@0'
TOML: Forms = {
    "a comment": "rest.⟦port⟧ = ⟪8081⟫ # é🦀\n",
    "quotes of a key": '⟦"rest.port"⟧ = ⟪\'8081\'⟫\n⟦\'web.tmpdir\'⟧ = ⟪"/\\u00e9\\"🦀"⟫ # x\n',
    "tabs": "\trest . ⟦port⟧\t=\t⟪8081⟫\t# 🦀\n",
    "a text of two lines": 'pipeline.⟦name⟧ = ⟪"""🦀\n"é"\\\n  x"""⟫\nrest.⟦port⟧ = ⟪1⟫\n',
    "a literal text of two lines": "pipeline.⟦name⟧ = ⟪'''🦀\n'é' '''⟫\nrest.⟦port⟧ = ⟪1⟫\n",
    "a list over lines": 'pipeline.⟦jars⟧ = ⟪["🦀", # é\n  "b"\n]⟫\nrest.⟦port⟧ = ⟪1⟫\n',
    "an odd number": 'rest.⟦address⟧ = ⟪"🦀"⟫\nrest.⟦port⟧ = ⟪0x1F_90⟫ # é\n',
    "a table below": "[flink.rest] # 🦀\n⟦port⟧ = ⟪1_000⟫\n",
    "a quoted table": "['flink'.\"web\"]\n⟦tmpdir⟧ = ⟪'/🦀'⟫\n",
    "a truth value": "web.submit.⟦enable⟧ = ⟪false⟫ # 🦀\nrest.⟦port⟧=⟪1⟫\n",
}
GOLDEN: dict[str, tuple[str, Forms]] = {
    "properties": ("job.properties", with_windows_line_ends(framed(_PROPERTIES, PROPERTIES))),
    "hocon": ("application.conf", with_windows_line_ends(framed(_HOCON, HOCON))),
    "toml": ("job.toml", with_windows_line_ends(framed(_TOML, TOML))),
}
