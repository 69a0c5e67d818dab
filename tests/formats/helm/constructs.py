"""Templates and what Helm 3.16 renders them to: a text for each construct, with values that they share."""

from __future__ import annotations

from typing import NamedTuple


class Construct(NamedTuple):
    """A template, as the only file of a chart, and its output before Helm divides it into manifests."""

    name: str
    template: str
    output: str


VALUES = (
    "name: orders\n"
    'empty: ""\n'
    "nothing: null\n"
    "replicas: 3\n"
    "big: 1048576\n"
    "million: 1000000\n"
    "ratio: 0.75\n"
    "enabled: true\n"
    "disabled: false\n"
    'version: "1.20"\n'
    "octal: 0755\n"
    "answer: yes\n"
    "list: [a, b, c]\n"
    "numbers: [1, 2.5, 3]\n"
    "none: {}\n"
    "labels:\n"
    "  team: data\n"
    '  app: "orders"\n'
    '  "10": ten\n'
    '  "9": nine\n'
    "flinkConfiguration:\n"
    '  taskmanager.numberOfTaskSlots: "2"\n'
    "  execution.checkpointing.interval: 10 min\n"
    "  state.backend.type: rocksdb\n"
    "script: |\n"
    "  #!/bin/sh\n"
    '  echo "one"\n'
    "\n"
    "    indented\n"
    "folded: >-\n"
    "  one\n"
    "  two\n"
    'template: "{{ .Release.Name }}-{{ .Values.name }}"\n'
    "quotes: 'it''s \"so\"'\n"
    'odd: ["", "~", "yes", "12", "1e3", "a: b", "#x", "- x", " x", "x ", "0x1F", "2020-01-02", "1:30", "a #b", "{x}", "=", "<<", "y", "a:", "@a", "50%", "null", ".5", "+1", "1_000", "é", "\\u00a0x", "tab\\tx"]\n'
    'long: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"\n'
    'longQuoted: "one: two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"\n'
    "nested:\n"
    "  list:\n"
    "    - name: x\n"
    "      on: {a: 1}\n"
    "    - [1, [2, 3]]\n"
    "    - []\n"
    '  text: "line 1\\nline 2\\n"\n'
    '  end: "line 1\\nline 2"\n'
    '  blank: "\\n\\n  x\\n\\n"\n'
)

FILES = {"conf/a.txt": "one\ntwo\n", "conf/b.txt": "three", "conf/c.txt": ""}
"""Other files of the chart."""

CHART = 'apiVersion: v2\nname: orders\nversion: 1.2.3\nappVersion: "1.20"\ntype: application\n'

CONSTRUCTS = (
    Construct(
        "text",
        ('a: 1\nb: {{ "{{" }} x {{ "}}" }}\n'),
        ("a: 1\nb: {{ x }}\n"),
    ),
    Construct(
        "trims white space",
        ('a:   {{- " x" -}}   y\n{{- /* comment */ -}}\n\nb: 1\n'),
        ("a: xyb: 1\n"),
    ),
    Construct(
        "comments",
        ("a: 1{{/* one */}}\n{{- /* {{ two }} */}}\nb: 2\n"),
        ("a: 1\nb: 2\n"),
    ),
    Construct(
        "values",
        ("a: {{ .Values.name }}\nb: {{ .Values.absent }}\nc: {{ .Values.nothing }}\nd: {{ .Values.empty }}x\n"),
        ("a: orders\nb: \nc: \nd: x\n"),
    ),
    Construct(
        "numbers",
        (
            "a: {{ .Values.replicas }}\n"
            "b: {{ .Values.big }}\n"
            "c: {{ .Values.million }}\n"
            "d: {{ .Values.ratio }}\n"
            "e: {{ int .Values.big }}\n"
            "f: {{ .Values.octal }}\n"
            "g: {{ 0x10 }} {{ 1_000 }} {{ 1.50 }} {{ 1e3 }} {{ -7 }}\n"
        ),
        ("a: 3\nb: 1.048576e+06\nc: 1e+06\nd: 0.75\ne: 1048576\nf: 493\ng: 16 1000 1.5 1000 -7\n"),
    ),
    Construct(
        "bools",
        ("a: {{ .Values.enabled }}\nb: {{ .Values.answer }}\nc: {{ not .Values.enabled }}\n"),
        ("a: true\nb: true\nc: false\n"),
    ),
    Construct(
        "maps and lists",
        (
            "a: {{ .Values.labels | quote }}\n"
            "b: {{ .Values.list | quote }}\n"
            "c: {{ .Values.numbers | quote }}\n"
            "d: {{ .Values.none | quote }}\n"
        ),
        ('a: "map[10:ten 9:nine app:orders team:data]"\nb: "[a b c]"\nc: "[1 2.5 3]"\nd: "map[]"\n'),
    ),
    Construct(
        "if",
        (
            "{{ if .Values.enabled }}a: 1{{ else }}a: 2{{ end }}\n"
            "{{- if .Values.disabled }}\n"
            "b: 1\n"
            '{{- else if eq .Values.name "orders" }}\n'
            "b: 2\n"
            "{{- else }}\n"
            "b: 3\n"
            "{{- end }}\n"
            "{{- if and .Values.name (not .Values.empty) (or .Values.disabled .Values.none 1) }}\n"
            "c: 1\n"
            "{{- end }}\n"
        ),
        ("a: 1\nb: 2\nc: 1\n"),
    ),
    Construct(
        "with",
        (
            "{{ with .Values.labels }}a: {{ .team }} {{ $.Values.name }}{{ end }}\n"
            "{{ with .Values.none }}b: 1{{ else }}b: 2{{ end }}\n"
            "{{ with $x := .Values.list }}c: {{ $x | len }}{{ end }}\n"
            "{{ with .Values.none }}d: 1{{ else with .Values.name }}d: {{ . }}{{ end }}\n"
        ),
        ("a: data orders\nb: 2\nc: 3\nd: orders\n"),
    ),
    Construct(
        "range",
        (
            "a:\n"
            "{{- range .Values.list }}\n"
            "- {{ . }}\n"
            "{{- end }}\n"
            "b:\n"
            "{{- range $k, $v := .Values.labels }}\n"
            "  {{ $k | quote }}: {{ $v }}\n"
            "{{- end }}\n"
            "c: {{ range $i, $v := .Values.list }}{{ $i }}{{ $v }}{{ end }}\n"
            "d: {{ range .Values.none }}x{{ else }}none{{ end }}\n"
            "e: {{ range $v := .Values.numbers }}{{ $v }};{{ end }}\n"
        ),
        (
            "a:\n"
            "- a\n"
            "- b\n"
            "- c\n"
            "b:\n"
            '  "10": ten\n'
            '  "9": nine\n'
            '  "app": orders\n'
            '  "team": data\n'
            "c: 0a1b2c\n"
            "d: none\n"
            "e: 1;2.5;3;\n"
        ),
    ),
    Construct(
        "break and continue",
        (
            'a: {{ range .Values.list }}{{ if eq . "b" }}{{ continue }}{{ end }}{{ . }}{{ end }}\n'
            'b: {{ range .Values.list }}{{ if eq . "b" }}{{ break }}{{ end }}{{ . }}{{ end }}\n'
        ),
        ("a: ac\nb: a\n"),
    ),
    Construct(
        "variables",
        (
            "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $y := 3 }}{{ end }}a: {{ $x }}\n"
            "{{ range .Values.list }}{{ $x = . }}{{ end }}b: {{ $x }}\n"
            "c: {{ $.Release.Name }}\n"
            '{{ $m := dict "k" (dict "l" 5) }}d: {{ $m.k.l }}\n'
        ),
        ("a: 2\nb: c\nc: release-name\nd: 5\n"),
    ),
    Construct(
        "define and include",
        (
            '{{ define "one" }}[{{ .x }}]{{ end }}a: {{ template "one" dict "x" 1 }}\n'
            'b: {{ include "one" (dict "x" "two") | upper | quote }}\n'
            'c: {{ block "two" . }}{{ .Values.name }}{{ end }}\n'
            'd: {{- include "three" . | nindent 2 }}\n'
            '{{ define "three" }}x: 1\n'
            "y: {{ .Values.name }}{{ end }}"
        ),
        ('a: [1]\nb: "[TWO]"\nc: orders\nd:\n  x: 1\n  y: orders\n'),
    ),
    Construct(
        "pipelines",
        (
            "a: {{ .Values.name | upper | quote }}\n"
            "b: {{ (.Values.labels).team }} {{ (.Values.absent).team }}\n"
            'c: {{ printf "%s-%d" .Values.name 3 | trunc 8 }}\n'
            'd: {{ "x" | eq "x" }}\n'
        ),
        ('a: "ORDERS"\nb: data \nc: orders-3\nd: true\n'),
    ),
    Construct(
        "tpl",
        ('a: {{ tpl .Values.template . }}\nb: {{ tpl "{{ define \\"in\\" }}x{{ end }}{{ include \\"in\\" . }}" . }}\n'),
        ("a: release-name-orders\nb: x\n"),
    ),
    Construct(
        "objects",
        (
            "a: {{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.Service }} {{ .Release.IsInstall }} {{ .Release.Revision }}\n"
            "b: {{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.AppVersion }} {{ .Chart.Type }}\n"
            "c: {{ .Template.Name }} {{ .Template.BasePath }}\n"
            'd: {{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion }} {{ .Capabilities.KubeVersion.Major }} {{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.APIVersions.Has "x/v1" }}\n'
        ),
        (
            "a: release-name default Helm true 1\n"
            "b: orders 1.2.3 1.20 application\n"
            "c: orders/templates/construct.yaml orders/templates\n"
            "d: v1.31.0 v1.31.0 1 true false\n"
        ),
    ),
    Construct(
        "files",
        (
            'a: {{ .Files.Get "conf/a.txt" | quote }}\n'
            'b: {{ .Files.Get "absent" | quote }}\n'
            "c:\n"
            '{{ (.Files.Glob "conf/*").AsConfig | indent 2 }}\n'
            'd: {{ range $path, $data := .Files.Glob "**.txt" }}{{ $path }} {{ end }}\n'
            'e: {{ .Files.Lines "conf/a.txt" | join "," }}\n'
            "f:\n"
            '{{ (.Files.Glob "conf/{b,c}.txt").AsSecrets | indent 2 }}\n'
        ),
        (
            'a: "one\\ntwo\\n"\n'
            'b: ""\n'
            "c:\n"
            "  a.txt: |\n"
            "    one\n"
            "    two\n"
            "  b.txt: three\n"
            '  c.txt: ""\n'
            "d: conf/a.txt conf/b.txt conf/c.txt \n"
            "e: one,two\n"
            "f:\n"
            "  b.txt: dGhyZWU=\n"
            '  c.txt: ""\n'
        ),
    ),
    Construct(
        "lookup",
        (
            'a: {{ lookup "v1" "Secret" "ns" "name" | len }}\n'
            'b: {{ (lookup "v1" "Secret" "ns" "name").data | default "none" }}\n'
        ),
        ("a: 0\nb: none\n"),
    ),
    Construct(
        "defaults",
        (
            'a: {{ .Values.absent | default "x" }} {{ .Values.empty | default "y" }} {{ default 5 .Values.replicas }} {{ .Values.disabled | default true }}\n'
            "b: {{ coalesce .Values.absent .Values.empty .Values.name }}\n"
            'c: {{ ternary "yes" "no" .Values.enabled }} {{ empty .Values.none }} {{ required "needed" .Values.name }}\n'
        ),
        ("a: x y 3 true\nb: orders\nc: yes true orders\n"),
    ),
    Construct(
        "toYaml",
        (
            "a:\n"
            "{{ toYaml .Values.labels | indent 2 }}\n"
            "b: {{- toYaml .Values.nested | nindent 2 }}\n"
            "c: {{ toYaml .Values.none }} {{ toYaml .Values.replicas }}\n"
            "d:\n"
            "{{ toYaml .Values.odd }}\n"
        ),
        (
            "a:\n"
            '  "9": nine\n'
            '  "10": ten\n'
            "  app: orders\n"
            "  team: data\n"
            "b:\n"
            "  blank: |2+\n"
            "  \n"
            "  \n"
            "      x\n"
            "  \n"
            "  end: |-\n"
            "    line 1\n"
            "    line 2\n"
            "  list:\n"
            "  - name: x\n"
            '    "true":\n'
            "      a: 1\n"
            "  - - 1\n"
            "    - - 2\n"
            "      - 3\n"
            "  - []\n"
            "  text: |\n"
            "    line 1\n"
            "    line 2\n"
            "c: {} 3\n"
            "d:\n"
            '- ""\n'
            '- "~"\n'
            '- "yes"\n'
            '- "12"\n'
            '- "1e3"\n'
            "- 'a: b'\n"
            "- '#x'\n"
            "- '- x'\n"
            "- ' x'\n"
            "- 'x '\n"
            '- "0x1F"\n'
            '- "2020-01-02"\n'
            '- "1:30"\n'
            "- 'a #b'\n"
            "- '{x}'\n"
            "- =\n"
            "- <<\n"
            '- "y"\n'
            "- 'a:'\n"
            "- '@a'\n"
            "- 50%\n"
            '- "null"\n'
            '- ".5"\n'
            '- "+1"\n'
            '- "1_000"\n'
            "- é\n"
            "- \xa0x\n"
            '- "tab\\tx"\n'
        ),
    ),
    Construct(
        "toYaml of long texts",
        (
            "a:\n"
            '  {{- toYaml (dict "long" .Values.long "quoted" .Values.longQuoted "list" (list .Values.long .Values.longQuoted)) | nindent 2 }}\n'
        ),
        (
            "a:\n"
            "  list:\n"
            "  - one two three four five six seven eight nine ten eleven twelve thirteen fourteen\n"
            "    fifteen sixteen seventeen eighteen\n"
            "  - 'one: two three four five six seven eight nine ten eleven twelve thirteen fourteen\n"
            "    fifteen sixteen seventeen'\n"
            "  long: one two three four five six seven eight nine ten eleven twelve thirteen fourteen\n"
            "    fifteen sixteen seventeen eighteen\n"
            "  quoted: 'one: two three four five six seven eight nine ten eleven twelve thirteen\n"
            "    fourteen fifteen sixteen seventeen'\n"
        ),
    ),
    Construct(
        "toYaml of numbers",
        (
            "a:\n"
            '{{ toYaml (dict "a" .Values.big "b" .Values.ratio "c" 1e30 "d" 5 "e" true "f" nil "g" 0.00001) | indent 2 }}\n'
        ),
        ("a:\n  a: 1048576\n  b: 0.75\n  c: 1e+30\n  d: 5\n  e: true\n  f: null\n  g: 1e-05\n"),
    ),
    Construct(
        "toJson",
        (
            "a: {{ toJson .Values.nested }}\n"
            'b: {{ .Values.numbers | toJson }} {{ dict "a" "<&>" | toJson | quote }} {{ dict "a" "<&>" | toRawJson | squote }}\n'
            "c:\n"
            "{{ toPrettyJson .Values.labels | indent 2 }}\n"
        ),
        (
            'a: {"blank":"\\n\\n  x\\n\\n","end":"line 1\\nline 2","list":[{"name":"x","true":{"a":1}},[1,[2,3]],[]],"text":"line 1\\nline 2\\n"}\n'
            'b: [1,2.5,3] "{\\"a\\":\\"\\\\u003c\\\\u0026\\\\u003e\\"}" \'{"a":"<&>"}\'\n'
            "c:\n"
            "  {\n"
            '    "10": "ten",\n'
            '    "9": "nine",\n'
            '    "app": "orders",\n'
            '    "team": "data"\n'
            "  }\n"
        ),
    ),
    Construct(
        "fromYaml",
        (
            'a: {{ (fromYaml "x: {y: 1}\\nz: on").x.y }} {{ (fromYaml "z: on").z }} {{ hasKey (fromYaml "{") "Error" }} {{ fromYamlArray "[1, 2]" | len }} {{ (fromJson "{\\"a\\": [1]}").a }}\n'
        ),
        ("a:  true true 2 [1]\n"),
    ),
    Construct(
        "indentation",
        (
            "a: |\n"
            "{{ .Values.script | indent 2 }}\n"
            "b: |-\n"
            "  {{- .Values.script | nindent 2 }}\n"
            "c: {{ .Values.folded }}\n"
        ),
        (
            "a: |\n"
            "  #!/bin/sh\n"
            '  echo "one"\n'
            "  \n"
            "    indented\n"
            "  \n"
            "b: |-\n"
            "  #!/bin/sh\n"
            '  echo "one"\n'
            "  \n"
            "    indented\n"
            "  \n"
            "c: one two\n"
        ),
    ),
    Construct(
        "quoting",
        (
            "a: {{ .Values.quotes | quote }}\n"
            "b: {{ squote .Values.name 1 }}\n"
            'c: {{ quote "a\\tb\\\\" nil 5 true 1.5 }}\n'
            'd: {{ cat "a" 1 | quote }}\n'
        ),
        ('a: "it\'s \\"so\\""\nb: \'orders\' \'1\'\nc: "a\\tb\\\\" "5" "true" "1.5"\nd: "a 1"\n'),
    ),
    Construct(
        "trimming",
        (
            'a: {{ trim "  x " }}|{{ trimAll "$" "$5$" }}|{{ trimSuffix "-" "a--" }}|{{ trimPrefix "v" "v1" }}\n'
            'b: {{ trunc 3 "abcdef" }}|{{ trunc -2 "abcdef" }}|{{ substr 1 3 "abcdef" }}|{{ abbrev 5 "abcdefgh" }}|{{ nospace "a b c" }}\n'
        ),
        ("a: x|5|a-|1\nb: abc|ef|bc|ab...|abc\n"),
    ),
    Construct(
        "case",
        (
            'a: {{ upper "aB" }} {{ lower "aB" }} {{ title "hello big-world o\'neil" }} {{ untitle "Hello World" }} {{ swapcase "aB" }} {{ snakecase "a-b" }} {{ kebabcase "a_b" }} {{ camelcase "a_b" }}\n'
        ),
        ("a: AB ab Hello Big-World O'Neil hello world Ab a_b a-b AB\n"),
    ),
    Construct(
        "searching",
        (
            'a: {{ contains "a" "bab" }} {{ hasPrefix "a" "ab" }} {{ hasSuffix "a" "ab" }} {{ replace "a" "xy" "banana" }} {{ repeat 3 "ab" }}\n'
        ),
        ("a: true true false bxynxynxy ababab\n"),
    ),
    Construct(
        "splitting",
        (
            'a: {{ splitList "," "a,b,c" | join "-" }} {{ (split "." "a.b")._1 }} {{ (splitn "." 2 "a.b.c")._1 }} {{ join ";" .Values.list }} {{ list 1 2 | join "+" }}\n'
        ),
        ("a: a-b-c b b.c a;b;c 1+2\n"),
    ),
    Construct(
        "printf",
        (
            'a: {{ printf "%s|%5s|%-5s|%05d|%x|%q|%v|%t|%.2f|%%|%T" "s" "r" "l" 42 255 "q" 1.5 true 3.14159 "t" }}\n'
            'b: {{ printf "%d" 1.5 | quote }} {{ printf "%s" | quote }} {{ printf "%d" "x" | quote }} {{ printf "a" 1 | quote }} {{ print "a" 1 2 "b" true }} {{ println "a" 1 | quote }}\n'
            'c: {{ printf "%s" (list "x" "y" "z") | quote }}\n'
        ),
        (
            'a: s|    r|l    |00042|ff|"q"|1.5|true|3.14|%|string\n'
            'b: "%!d(float64=1.5)" "%!s(MISSING)" "%!d(string=x)" "a%!(EXTRA int=1)" a1 2btrue "a 1\\n"\n'
            'c: "[x y z]"\n'
        ),
    ),
    Construct(
        "lists",
        (
            'a: {{ first .Values.list }} {{ last .Values.list }} {{ rest .Values.list }} {{ initial .Values.list }} {{ append .Values.list "d" }} {{ prepend .Values.list "z" }} {{ concat .Values.list (list 1) }}\n'
            'b: {{ has "a" .Values.list }} {{ without .Values.list "a" }} {{ uniq (list 1 2 1) }} {{ sortAlpha (list "b" "a") }} {{ reverse .Values.list }} {{ slice .Values.list 1 2 }} {{ compact (list 1 "" 2) }} {{ chunk 2 .Values.list | len }}\n'
            'c: {{ index .Values.list 1 }} {{ index .Values.nested "list" 0 "name" }} {{ len .Values.name }}\n'
        ),
        ("a: a c [b c] [a b] [a b c d] [z a b c] [a b c 1]\nb: true [b c] [1 2] [a b] [c b a] [b] [1 2] 2\nc: b x 6\n"),
    ),
    Construct(
        "maps",
        (
            '{{ $d := dict "a" 1 "b" (dict "c" 2) }}{{ $_ := set $d "e" 3 }}{{ $_ := unset $d "a" }}a: {{ $d | toJson }}\n'
            'b: {{ hasKey $d "e" }} {{ get $d "e" }} {{ get $d "none" | quote }} {{ keys $d | sortAlpha }} {{ pick $d "e" | toJson }} {{ omit $d "e" | toJson }} {{ pluck "e" $d $d | toJson }} {{ dig "b" "c" 0 $d }} {{ dig "b" "x" 9 $d }} {{ values (dict "a" 1) }}\n'
        ),
        ('a: {"b":{"c":2},"e":3}\nb: true 3 "" [b e] {"e":3} {"b":{"c":2}} [3,3] 2 9 [1]\n'),
    ),
    Construct(
        "merging",
        (
            'a: {{ merge (dict "a" 1 "m" (dict "x" 1)) (dict "a" 2 "b" 3 "m" (dict "x" 2 "y" 3)) | toJson }}\n'
            'b: {{ mergeOverwrite (dict "a" 1 "m" (dict "x" 1)) (dict "a" 2 "b" "" "m" (dict "y" 3)) | toJson }}\n'
            'c: {{ merge (dict "a" false "b" "" "c" 0) (dict "a" true "b" "x" "c" 2) | toJson }} {{ mergeOverwrite (dict "a" true "b" "x") (dict "a" false "b" "") | toJson }}\n'
            '{{ $c := deepCopy .Values.labels }}{{ $_ := set $c "team" "other" }}d: {{ .Values.labels.team }} {{ $c.team }}\n'
        ),
        (
            'a: {"a":1,"b":3,"m":{"x":1,"y":3}}\n'
            'b: {"a":2,"b":"","m":{"x":1,"y":3}}\n'
            'c: {"a":true,"b":"x","c":2} {"a":false,"b":""}\n'
            "d: data other\n"
        ),
    ),
    Construct(
        "comparison",
        (
            'a: {{ eq 1 1 }} {{ eq "a" "b" "a" }} {{ ne 1 2 }} {{ lt 1 2 }} {{ le 2 2 }} {{ gt "b" "a" }} {{ ge 1.5 2.5 }} {{ eq (int .Values.replicas) 3 }} {{ eq .Values.absent nil }} {{ eq .Values.absent "x" }} {{ deepEqual (list 1) (list 1) }}\n'
        ),
        ("a: true true true true true true false true true false true\n"),
    ),
    Construct(
        "logic",
        (
            'a: {{ and 1 0 2 }} {{ or 0 "" "x" }} {{ and true .Values.name }} {{ or .Values.absent "d" }} {{ not 0 }} {{ all 1 "x" }} {{ any 0 "" }}\n'
            'b: {{ or true (fail "x") }} {{ and false (fail "x") }}\n'
        ),
        ("a: 0 x orders d true true false\nb: true false\n"),
    ),
    Construct(
        "arithmetic",
        (
            "a: {{ add 1 2 3 }} {{ sub 5 3 }} {{ mul 2 3 4 }} {{ div 7 2 }} {{ mod 7 3 }} {{ div -7 2 }} {{ mod -7 3 }} {{ add1 1 }} {{ max 1 5 3 }} {{ min 4 2 }} {{ floor 1.9 }} {{ ceil 1.1 }} {{ round 1.2345 2 }} {{ addf 1.5 2 }} {{ mulf 1.5 2 }} {{ divf 7 2 }} {{ subf 3 0.5 }}\n"
            'b: {{ int "12" }} {{ int "12.0" }} {{ int "x" }} {{ int 3.9 }} {{ int64 "0x1F" }} {{ float64 "1.5" }} {{ atoi "7" }} {{ toString 5 }} {{ add "1" 1.9 true }} {{ int "1.5" }}\n'
            "c: {{ until 3 }} {{ untilStep 2 8 3 }} {{ seq 3 }} {{ seq 2 4 }} {{ seq 0 2 6 }}\n"
        ),
        (
            "a: 6 2 24 3 1 -3 -1 2 5 2 1 2 1.23 3.5 3 3.5 2.5\n"
            "b: 12 12 0 3 31 1.5 7 5 3 0\n"
            "c: [0 1 2] [2 5] 1 2 3 2 3 4 0 2 4 6\n"
        ),
    ),
    Construct(
        "kinds",
        (
            'a: {{ kindOf 1 }} {{ kindOf .Values.replicas }} {{ kindIs "map" .Values.labels }} {{ kindIs "slice" .Values.list }} {{ typeOf "x" }} {{ typeIs "bool" true }} {{ kindOf nil }} {{ typeOf .Values.labels | quote }} {{ typeOf .Values.list | quote }}\n'
        ),
        ('a: int float64 true true string true invalid "map[string]interface {}" "[]interface {}"\n'),
    ),
    Construct(
        "encoding",
        (
            'a: {{ b64enc "hello" }} {{ b64dec "aGVsbG8=" }} {{ sha256sum "x" }} {{ sha1sum "x" }} {{ adler32sum "x" }} {{ b32enc "x" }}\n'
            "b: {{ toYaml .Values.nested | sha256sum }}\n"
        ),
        (
            "a: aGVsbG8= hello 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881 11f6ad8ec52a2984abaafd7c3b516503785c2072 7929977 PA======\n"
            "b: 02c994610bb2bb9f5fc0c2ea9a7b6206a2ba09daf2c0f95f98bf7ed871339437\n"
        ),
    ),
    Construct(
        "versions",
        (
            'a: {{ semverCompare ">=1.19-0" "1.31.0" }} {{ semverCompare "^1.2.3" "1.9.0" }} {{ semverCompare "~1.2.3" "1.3.0" }} {{ semverCompare "<1.14-0" .Capabilities.KubeVersion.GitVersion }} {{ semverCompare "1.2.x" "1.2.9" }} {{ semverCompare ">=1.0 <2" "2.0.0" }} {{ semverCompare ">=1.0.0" "1.1.0-beta" }} {{ semverCompare "1.x || >=3" "3.1.0" }} {{ (semver "1.2.3-a").Prerelease }}\n'
        ),
        ("a: true true false false true false false true a\n"),
    ),
    Construct(
        "patterns",
        (
            'a: {{ regexMatch "^[a-z]+$" "abc" }} {{ regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W" }} {{ regexFind "[0-9]+" "a12b3" }} {{ regexFindAll "[0-9]" "a12b3" -1 }} {{ regexSplit "," "a,b,c" -1 }} {{ regexReplaceAllLiteral "a" "banana" "$1" }} {{ regexQuoteMeta "1.2" }}\n'
        ),
        ("a: true -W-xxW- 12 [1 2 3] [a b c] b$1n$1n$1 1\\.2\n"),
    ),
    Construct(
        "paths",
        ('a: {{ base "/a/b.txt" }} {{ dir "/a/b.txt" }} {{ ext "b.tar.gz" }} {{ clean "/a/../b//c" }}\n'),
        ("a: b.txt /a .gz /b/c\n"),
    ),
)
