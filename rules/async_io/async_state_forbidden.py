"""An asynchronous function asks for state or an accumulator, which Flink refuses.

## What it does
Reports `getRuntimeContext().getState(...)`, its kin, accumulators and broadcast variables in a class that extends
RichAsyncFunction.

## Why it matters
The runtime context of a RichAsyncFunction throws UnsupportedOperationException ("State is not supported in rich async
functions."), because callbacks run in threads of others. The job fails as soon as the function is opened, and the
compiler does not notice.

## What to do
Keep the state in a KeyedProcessFunction before or behind the operator; a cache with a bound and a time to live can
stand in the function itself. For numbers, use metrics: `getRuntimeContext().getMetricGroup()` works.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/api/java/org/apache/flink/streaming/api/functions/async/RichAsyncFunction.html>:
  state related apis in RuntimeContext are not supported, because the key may change while it is accessed
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_refuses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, cases_in_folders, good, rule
from flink_flint.linter.model.view import View
from flink_flint.rules.async_io._calls import program
from flink_flint.rules.async_io._programs import running_program


@rule(
    code="FLK889",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    when=["element:async-call", "element:async-function"],
    flink=">=1.2",
    since="0.1",
)
def async_state_forbidden(config: View) -> Iterator[Finding]:
    """an asynchronous function asks for state or an accumulator"""
    seen = set()
    for part in config.elements("async-call", "async-function"):
        method, place = part.text("state"), part.span("state")
        if method is None or place in seen:
            continue
        seen.add(place)
        function = part.text("function") or (part.name if part.kind == "async-function" else "a RichAsyncFunction")
        yield part.finding(
            f"{function} calls {method} on its runtime context, which throws UnsupportedOperationException: the job"
            " fails when it starts",
            of="state",
            help="keep state in a KeyedProcessFunction beside it, or a bounded cache in the function",
        )


_LOOKUP = (
    "class Lookup extends {kind}<String, String> {{\n    public void open(Configuration c) {{\n"
    "        {body}\n    }}\n}}\n"
)
_IMPORT = "import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;\n"


def _job(body: str, kind: str = "RichAsyncFunction") -> str:
    call = program("unorderedWait(in, new Lookup(), 5, TimeUnit.SECONDS)")
    return call + _LOOKUP.format(body=body, kind=kind)


def cases() -> list[Case]:
    return [
        bad(
            _job('seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Long.class));'),
            file="Job.java",
            at="getState",
            severity=Severity.ERROR,
        ),
        bad(_job('getRuntimeContext().addAccumulator("calls", calls);'), file="Job.java", at="addAccumulator"),
        good(_job('calls = getRuntimeContext().getMetricGroup().counter("calls");'), file="Job.java"),
        good(_job("order = machine.getState();"), file="Job.java"),
        good(
            _job(
                'seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Long.class));',
                "SomeBaseFunction",
            ),
            file="Job.java",
        ),
        bad(
            _IMPORT
            + _LOOKUP.format(body='getRuntimeContext().addAccumulator("calls", calls);', kind="RichAsyncFunction"),
            file="Lookup.java",
            flink="1.5",
        ),
        bad(
            program(
                "unorderedWait(in, new RichAsyncFunction<String, String>() { public void open(Configuration c) {"
                ' getRuntimeContext().addAccumulator("calls", calls); } }, 5, TimeUnit.SECONDS)'
            ),
            file="Job.java",
        ),
        *cases_in_folders(__file__),
    ]


_CALL = "unorderedWait(in, new Lookup(), 30, TimeUnit.SECONDS, 12)"


def claims() -> list[Claim]:
    return [
        flink_refuses(
            "program",
            running_program(
                _CALL,
                'getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Integer.class)); answer(in, out);',
            ),
            good=running_program(_CALL, "answer(in, out);"),
            releases=">=2.3",
        ),
    ]
