"""What rules about security say of Flink and of the JVM, on real releases: one JVM each, and three short ones."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest

from tests.live.distribution import flink_home

OLD, NEW = "1.20.5", "2.3.0"

pytestmark = pytest.mark.flink

IN_BOTH = {
    "certificates without TLS": "false",
    "certificates with TLS": "true",
    "origins": "{access-control-allow-origin=*}",
    "login without keytab": "[ticket cache true, keytab null]",
    "login without anything": "[]",
    "tokens": "DefaultDelegationTokenManager",
    "no tokens": "NoOpDelegationTokenManager",
    "no tokens by the old name": "NoOpDelegationTokenManager",
    "secret env:A,secret:s,key:k": "[A=s/k]",
    "secret env:A,secret:s": "[A=s/null]",
    "secret env:A;secret:s;key:k": "[A=null/null, null=s/null, null=null/k]",
    "secret name:A,secret:s,key:k": "[null=s/k]",
    "secret ENV:A,secret:s,key:k": "[null=s/k]",
    "secret env: A, secret: s, key: k": "[A=s/k]",
    "secret env:A,secret:s,key:k;env:B,secret:s": "[A=s/k, B=s/null]",
    "secret A=s/k": "!IllegalArgumentException Could not parse value for key 'kubernetes.env.secretKeyRef'.",
    "enrichers a.B,c.D": "[a.B, c.D]",
    "enrichers a.B, c.D": "[a.B, c.D]",
    "enrichers a.B;c.D": "[a.B;c.D]",
    "enrichers [a.B, c.D]": "[[a.B, c.D]]",
}


def answers(version: str) -> dict[str, str]:
    """What a release makes of each hazardous setting."""
    home = flink_home(version)
    program = Path(__file__).with_name("SecurityHazards.java")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", f"{home}/lib/*", str(program)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)


def test_hazards_of_security() -> None:
    old, new = answers(OLD), answers(NEW)
    for name, expected in IN_BOTH.items():
        assert (old[name], new[name]) == (expected, expected), name
    # The switch for all of Flink is gone from 2.0 on.
    assert (old["certificates with TLS of all"], new["certificates with TLS of all"]) == ("true", "false")
    assert (old["jobs kept"], new["jobs kept"]) == ("FileExecutionGraphInfoStore", "FileArchivedApplicationStore")
    assert old["jobs kept in memory"] == "MemoryExecutionGraphInfoStore"
    assert new["jobs kept in memory"] == "MemoryArchivedApplicationStore"


def test_a_port_of_the_jvm_is_taken_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        debugger = java(f"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=localhost:{port}")
        jmx = "-Dcom.sun.management.jmxremote"
        management = java(
            f"{jmx}.port={port}", f"{jmx}.host=127.0.0.1", f"{jmx}.authenticate=false", f"{jmx}.ssl=false"
        )
    assert "bind failed: Address already in use" in debugger
    assert f"Port already in use: {port}" in management


def test_jmx_requires_a_password_by_default() -> None:
    assert "Password file not found" in java("-Dcom.sun.management.jmxremote.port=0")


def java(*options: str) -> str:
    """What a JVM with these options says before it ends without having begun."""
    done = subprocess.run(["java", *options, "-version"], capture_output=True, encoding="utf-8")
    assert done.returncode != 0
    return done.stdout + done.stderr
