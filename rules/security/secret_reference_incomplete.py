"""An environment variable from a secret lacks its name, the secret or the key.

## What it does
Reports entries of `kubernetes.env.secretKeyRef` that have not all three of `env`, `secret` and `key`, and a value that
Flink cannot read at all.

## Why it matters
Flink takes what it finds and writes the rest as nothing into the pods it asks for: Kubernetes refuses a variable
without a name and a reference without the name of a secret or a key, so that the deployment of the JobManager is not
made. The usual slip is `;` between the three, which divides one entry into three of one part each; others are `name`
for `env`, and capitals. With a part that has no `:` nothing can be read, and the client ends with `Could not parse
value for key 'kubernetes.env.secretKeyRef'`.

## What to do
Write `env:NAME,secret:SECRET,key:KEY`, and `;` between variables.

## Not when
The value is filled in by a template.

## Sources
- <https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/resource-providers/native_kubernetes/#using-secrets>:
  how a variable from a secret is written
- <https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.32/#secretkeyselector-v1-core>: `key` is required
"""

from collections.abc import Iterator

from flink_flint.linter.model.claim import Claim, flink_uses
from flink_flint.linter.model.rule import Case, Confidence, Finding, Severity, bad, good, rule
from flink_flint.linter.model.view import View

_REFERENCES = "kubernetes.env.secretKeyRef"
_PARTS = ("env", "secret", "key")
_HELP = "write env:NAME,secret:SECRET,key:KEY, and a semicolon only between variables"


@rule(
    code="FLK952",
    severity=Severity.ERROR,
    confidence=Confidence.HIGH,
    reads=[_REFERENCES],
    flink=">=1.12",
    since="0.1",
)
def secret_reference_incomplete(config: View) -> Iterator[Finding]:
    """an environment variable from a secret lacks its name, the secret or the key"""
    references = config.get(_REFERENCES)
    entries = references.value if references.error is None else ()
    for number, entry in enumerate(entries or (), 1):
        missing = [part for part in _PARTS if not entry.get(part)]
        if missing:
            which = f"entry {number} of {len(entries)}" if len(entries) > 1 else "the entry"
            yield references.finding(
                f"{which} has no {' and no '.join(missing)}, so Kubernetes refuses the pod",
                help=_HELP,
                evidence={"missing": missing},
            )
            return


def cases() -> list[Case]:
    return [
        bad(
            f"{_REFERENCES}: env:KEY,secret:s3\n",
            flink="1.17",
            at=_REFERENCES,
            severity=Severity.ERROR,
            says="the entry has no key",
        ),
        bad(
            f"{_REFERENCES}: env:KEY;secret:s3;key:access\n", flink="1.18", says="entry 1 of 3 has no secret and no key"
        ),
        bad(
            f"{_REFERENCES}: env:A,secret:s3,key:access;name:B,secret:s3,key:secret\n",
            flink="1.20",
            says="entry 2 of 2 has no env",
        ),
        bad(f"{_REFERENCES}: ENV:A,secret:s3,key:access\n", flink="1.12", says="no env"),
        good(f"{_REFERENCES}: env:A,secret:s3,key:access\n", flink="1.17"),
        good(f"{_REFERENCES}: 'env: A, secret: s3, key: access;env:B,secret:s3,key:secret'\n", flink="2.1"),
        good(f"{_REFERENCES}: {{{{ references }}}}\n", flink="1.18"),
        good(f"{_REFERENCES}: A=s3/access\n", flink="1.18"),
        good("kubernetes.cluster-id: orders\n", flink="1.18"),
    ]


def claims() -> list[Claim]:
    return [
        flink_uses(
            "Kubernetes JobManager",
            "kubernetes.env.secretKeyRef: ENV:A,secret:s3,key:access\n",
            "name=null",
            good="kubernetes.env.secretKeyRef: env:A,secret:s3,key:access\n",
            releases=">=1.14",
        ),
    ]
