"""A function reads a static field that only `main` fills, in another process.

## What it does
Looks at static fields of the class with `main` (in Scala, fields of its object) that only `main` assigns or fills, and
that a lambda or function of the job reads.

## Why it matters
Flink serializes a function's own fields and what a lambda captures; it does not serialize static fields. `main` runs
where the job is submitted, or in the JobManager. Each TaskManager loads the class anew, where the field has its initial
value: null, 0 or an empty collection. In the IDE there is one process, and the job works; on a cluster it fails with
`NullPointerException`, or runs with wrong results.

## What to do
Give the value to the constructor of the function, capture a local variable, or set global job parameters with
`env.getConfig().setGlobalJobParameters(...)` and read them in `open`.

## Not when
The field has its value from where it is declared, or another method fills it too.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/application_parameters/>: how parameters
  reach functions
"""

from __future__ import annotations

from collections.abc import Iterator

from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.dataflow._programs import java_job


@rule(
    code="FLK474",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    when=["element:client-field"],
    flink=">=1.0",
    since="0.1",
)
def field_set_on_client(config: View) -> Iterator[Finding]:
    """a function reads a static field that only main fills, in another process"""
    if config.platform == "local":
        return
    for field in config.elements("client-field"):
        yield field.finding(
            f"tasks read {field.name} in TaskManagers, and only main fills this static field, in another process: it"
            " has its initial value here",
            help="pass it to the function's constructor, or copy it to a local variable that the lambda captures",
            related=[field.place("set", "filled in main alone")],
        )


def _job(field: str, filled: str, read: str) -> str:
    return java_job(f"  static {field};", read).replace("env.addSource", f"{filled}\n    env.addSource")


def cases() -> list[Case]:
    return [
        bad(
            _job("Map<String, String> of = new HashMap<>()", 'of.put("de", "Germany");', ".map(c -> of.get(c))"),
            file="Job.java", at="of", severity=Severity.WARNING, says="only main fills this static field",
        ),
        bad(_job("String suffix", "suffix = args[0];", ".map(line -> line + suffix)"), file="Job.java"),
        bad(
            "import org.apache.flink.streaming.api.scala._\nobject Job {\n  var suffix: String = _\n"
            "  def main(args: Array[String]): Unit = {\n    suffix = args(0)\n"
            "    val env = StreamExecutionEnvironment.getExecutionEnvironment\n"
            '    env.socketTextStream("gw", 9000).map(line => line + suffix).print()\n'
            '    env.execute("job")\n  }\n}\n',
            file="Job.scala",
        ),
        good(_job('String suffix = "!"', "", ".map(line -> line + suffix)"), file="Job.java"),
        good(_job("String suffix", "suffix = args[0]; String s = suffix;", ".map(line -> line + s)"), file="Job.java"),
        good(
            _job("String suffix", "suffix = args[0];", ".map(new Add(suffix))").replace(
                "  static String",
                "  static class Add implements MapFunction<String, String> { final String suffix;"
                " Add(String suffix) { this.suffix = suffix; }"
                " public String map(String in) { return in + suffix; } }\n  static String",
            ),
            file="Job.java",
        ),
        good(
            _job("String suffix; static void l() { suffix = read(); }", "suffix = args[0];", ".map(l -> l + suffix)"),
            file="Job.java",
        ),
    ]  # fmt: skip
