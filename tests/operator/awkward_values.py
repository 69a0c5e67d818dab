"""Values of fields and settings that the operator may refuse."""

from __future__ import annotations

import random

NAMES = (
    "Orders", "my_job", "1st", "-a", "a-", "a" * 46, "a" * 45, "orders.v2", "a b", "ü", "o", "job-2-x", "", "a--b",
)  # fmt: skip
BOOLEANS = ("true", "true", "true", "True", "false", "FALSE", "true", "false", "true", "yes")
TEMPLATES = (
    "{{name}}.{{namespace}}.flink.example.com", "flink.example.com/{{namespace}}/{{name}}(/|$)(.*)",
    "https://{{NAME}}.example.com:8443/", "example.com:port/x", "http://example.com:-5", "example.com:99999999999",
    "/{{namespace}}/{{name}}", "", "HTTP://x:80y", "ftp://example.com", "example.com:+80", "a b", "http://{{x}}",
    "https://h:12:34/", "u@example.com:8x",
)  # fmt: skip
SIZES = (
    "2g", "2Gi", "2gi", "2 GiB", "2G", "1.5g", "1.5Gi", "1500M", "1500Mi", "2048", "2x", "g", "", "-1g", "2e9", "2E",
    "1Ei", "0", "1 000m", "2Gib", "9999999999999999999", "1k", "1Ki", "2m", "2048MB", "2 048 mb", "0.5", "1_024m",
    "16777216Ti", "+2g", "2g b", "twog", ".5Gi", "1.5.1Gi", "9223372036854775807b", "2n", "3u", "2e3x", "1e", "1i",
    "4T", "2tb", "7P", "12345678901234567890x", "1024 kibibytes", "3 t",
)  # fmt: skip
STORAGES = (
    "1Gi", "1G", "500M", "1.5Gi", "2gb", "1GB", "10x", "", "-1Gi", "1e3", "1e3k", "Gi", "2g", "0.5Ti", ".5Gi", "1 Gi",
    "2K", "1k", "1m", "1u", "100", "1E", "1Ei", "e3", "1e-3", "1e+3", "--1", "1..2Gi", "+1Gi", "1Gx", "12e", "1.5",
    "5i", "12345678901234567890x", ".", "Mi1",
)  # fmt: skip
DURATIONS = ("10 min", "1h", "60000", "1 fortnight", "", "0 0 * * * ?", "-1 s", "PT1H", "2 d", "1min")
JARS = (
    "local:///opt/flink/job.jar", "/opt/flink/job.jar", "job.jar", "s3://bucket/job.jar", "https:///job.jar",
    "https:job.jar", "https://exa mple/job.jar", "https://8.8.8.8/my job.jar", "https://8.8.8.8/{x}.jar", ":foo",
    "https:", "", "1x://8.8.8.8/a", "file:///a.jar", "HTTPS://8.8.8.8/a.jar", "https://8.8.8.8/a%2.jar",
    "https://8.8.8.8/a%20b.jar", "https://8.8.8.8:x/a.jar", "https://user:pw@8.8.8.8/a.jar", "hdfs://nn/a.jar",
    "https://8.8.8.8/a?x=[1]&y={2}", "https://8.8.8.8/a#b#c", "a^b://x/y", "https://my_host/a.jar", "mailto:a b",
    "https://", "https://8.8.8.8/a|b", "http://8.8.8.8/a\\b", "../a.jar", "C:\\jobs\\a.jar", "https://1.2.3/a.jar",
)  # fmt: skip
ADDRESSES = (
    "127.0.0.1", "10.1.2.3", "192.168.0.4:8080", "172.16.0.1", "172.32.0.1", "169.254.1.1", "0.0.0.0", "224.0.0.1",
    "8.8.8.8", "8.8.8.8:443", "localhost", "1.1.1.1", "239.255.255.255", "100.64.0.1", "u@10.0.0.1", "999.1.1.1",
)  # fmt: skip
PERIODS = (
    "9:30:30-10:50:20", "9:30-10:50", "10:50-9:30", "9-10", "25:00-26:00", "9:30:30:999-9:30:31", "9:30-9:30",
    "09:30 - 10:30", "9:30-10:50-11:00", "* * 9-11,14-16 * * ?", "* * * ? * 2-6", "* * * * * ?", "* * * * *",
    "* * * * * *", "0 0/5 14 * * ?", "0 0 12 1/5 * ?", "* * * ? * MON-FRI", "* * * ? * mon", "* * * ? * FUNDAY",
    "0 15 10 L * ?", "0 15 10 L-2 * ?", "0 15 10 L-31 * ?", "0 15 10 LW * ?", "0 15 10 ? * 6L", "0 15 10 ? * 6#3",
    "0 15 10 ? * 6#6", "0 15 10 ? * 6#3,2#1", "0 15 10 15W * ?", "0 15 10 32W * ?", "60 * * * * ?", "* * 24 * * ?",
    "* * * 32 * ?", "* * * 0 * ?", "* * * * 13 ?", "* * * * JAN-MAR ?", "* * * * JAN/2 ?", "* * * ? * 8",
    "* * * ? * 0", "*/70 * * * * ?", "0/61 * * * * ?", "* * * * * ? 2020", "* * * * * ? 2030-2020",
    "* * * * * ? 2020-2030", "? * * * * ?", "* * * ? * ?", "5x * * * * ?", "*x * * * * ?", "*/ * * * * ?",
    "/5 * * * * ?", "1-70 * * * * ?", "22-2 * * * * ?", "5- * * * * ?", "a * * * * ?", "1,L * * * * ?",
    "* * * 1,L * ?", "* * * ?x * MON", "* * * ?xy * MON", "MON * * * * ?", "* * * ? * MON#2", "* * * ? * MON#9",
    "* * * ? * FRIL", "* * * ? * MO", "1/ * * * * ?", "1/5x * * * * ?", "1-5/2 * * * * ?", "1-5/70 * * * * ?",
    "L * * * * ?", "* * * * * ? 2020 extra", "", " ", "5-x * * * * ?", "99999999999 * * * * ?", "*/5x * * * * ?",
    "* * * ? * 7L", "* * * ? * 8L", "* * 5L * * ?", "* * * 5L * ?", "* * * ? * L", "* * * ? * 2,L", "* * * W * ?",
    "10:00-12:00 && * * * ? * 2-6",
)  # fmt: skip


def numbers(choice: random.Random) -> str:
    """Return a value for an option that is a number between 0 and 1, or a factor."""
    return choice.choice(
        ["0", "0.5", "0.8", "1", "1.0", "1.5", "-0.1", "-1", "70%", "x", "", "0.6d", " 0.7 ", "NaN", "Infinity", "1e-3",
         "0.01", "0.009", "0.3", "0.9", "100000"]
    )  # fmt: skip
