"""log4j properties: the loggers and appenders they declare, and their spans."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.logging.logging_properties import elements_of
from flink_flint.linter.model.elements import Element
from tests.fix_edits import edits_for
from tests.formats.reading import parts, read

TWO = """\
# Allows this configuration to be modified at runtime.
monitorInterval=30
property.level = DEBUG
rootLogger.level = ${level}
rootLogger.appenderRef.console.ref = ConsoleAppender
rootLogger.appenderRef.rolling.ref = RollingFileAppender
logger.kafka.name= org.apache.kafka
logger.kafka.level = INFO
logger.ä.name = org.example.ä\tb
logger.ä.level : WARN
appender.console.name = ConsoleAppender
appender.console.type = CONSOLE
appender.console.filter.threshold.level = ${sys:console.log.level:-ALL}
appender.rolling.name = RollingFileAppender
appender.rolling.type = RollingFile
appender.rolling.fileName = ${sys:log.file}
appender.rolling.policies.size.type = SizeBasedTriggeringPolicy
appender.rolling.policies.size.size=100MB
"""
ONE = """\
log4j.rootLogger=INFO, file,\\
    console
log4j.logger.org.apache.flink.yarn=DEBUG, console
log4j.additivity.org.apache.flink.yarn=false
log4j.appender.file=org.apache.log4j.RollingFileAppender
log4j.appender.file.File=${log.file}
log4j.appender.file.MaxBackupIndex = 10
log4j.appender.console=org.apache.log4j.ConsoleAppender
"""
SHORT = "rootLogger = warn, Main\nlogger.flink = org.apache.flink\nappender.main.name = Main\n"

SAMPLES = {
    "log4j-console.properties": TWO,
    "log4j.properties": ONE,
    "log4j2.properties.erb": "<% if @flink %>\nrootLogger.level = <%= @level %>\n<% end %>\n"
    "appender.main.fileName = ${sys:log.file}\n",
    "log4j-session.properties": SHORT,
}


def by_kind(text: str, kind: str) -> dict[str, Element]:
    return {element.name: element for element in elements_of(text) if element.kind == kind}


def test_loggers_of_log4j_2_have_levels_and_appenders() -> None:
    document = read("log4j-console.properties", TWO)[0]
    loggers = dict(parts(document, "logger"))
    assert loggers["root"] == {
        "level": ("DEBUG", "${level}"),
        "appenders[0]": ("ConsoleAppender", "ConsoleAppender"),
        "appenders[1]": ("RollingFileAppender", "RollingFileAppender"),
    }
    assert loggers["org.apache.kafka"] == {"level": ("INFO", "INFO")}
    assert loggers["org.example.ä\tb"] == {"level": ("WARN", "WARN")}


def test_appenders_of_log4j_2_have_their_properties() -> None:
    appenders = dict(parts(read("log4j-console.properties", TWO)[0], "appender"))
    assert appenders["RollingFileAppender"] == {
        "type": ("RollingFile", "RollingFile"),
        "fileName": (None, "${sys:log.file}"),
        "policies.size.type": ("SizeBasedTriggeringPolicy", "SizeBasedTriggeringPolicy"),
        "policies.size.size": ("100MB", "100MB"),
    }
    assert appenders["ConsoleAppender"]["filter.threshold.level"] == (None, "${sys:console.log.level:-ALL}")


def test_the_configuration_says_who_reads_it_and_what_it_is_called() -> None:
    (whole,) = [e for e in read("log4j-console.properties", TWO)[0].elements if e.kind == "logging"]
    assert (whole.name, whole.value("file"), whole.value("monitorInterval")) == (
        "log4j2",
        "log4j-console.properties",
        "30",
    )
    assert elements_of(ONE)[0].name == "log4j1"
    assert not elements_of(ONE)[0].has("file")


def test_log4j_1_names_appenders_behind_the_level_also_on_the_next_line() -> None:
    document = read("log4j.properties", ONE)[0]
    loggers = dict(parts(document, "logger"))
    assert loggers["root"] == {
        "level": ("INFO", "INFO"), "appenders[0]": ("file", "file"), "appenders[1]": ("console", "console"),
    }  # fmt: skip
    assert loggers["org.apache.flink.yarn"]["level"] == ("DEBUG", "DEBUG")
    assert loggers["org.apache.flink.yarn"]["additivity"] == ("false", "false")


def test_the_class_of_an_appender_of_log4j_1_is_its_type() -> None:
    appenders = dict(parts(read("log4j.properties", ONE)[0], "appender"))
    assert appenders["file"] == {
        "type": ("org.apache.log4j.RollingFileAppender", "org.apache.log4j.RollingFileAppender"),
        "File": (None, "${log.file}"),
        "MaxBackupIndex": ("10", "10"),
    }


def test_the_short_form_of_log4j_2_gives_level_and_appenders() -> None:
    root = by_kind(SHORT, "logger")["root"]
    assert (root.value("level"), root.value("appenders[0]")) == ("warn", "Main")


def test_line_ends_of_all_kinds_keep_the_places() -> None:
    for end in ("\r\n", "\r"):
        text = TWO.replace("\n", end)
        root = by_kind(text, "logger")["root"]
        assert text[slice(*root.attributes["level"].span)] == "${level}"
        rolling = by_kind(text, "appender")["RollingFileAppender"]
        assert text[slice(*rolling.attributes["policies.size.size"].span)] == "100MB"


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    text = "\ufeffrootLogger.level = DEBUG\n"
    assert text[slice(*by_kind(text, "logger")["root"].attributes["level"].span)] == "DEBUG"


def test_what_a_template_fills_in_is_unknown() -> None:
    for value in ("<%= @level %>", "{{ level }}", "${env:ROOT_LOG_LEVEL:-INFO}", "${unset}"):
        assert by_kind(f"rootLogger.level = {value}\n", "logger")["root"].attributes["level"].value is None


def test_references_that_feed_on_themselves_end() -> None:
    text = "property.a = ${a}${a}\nrootLogger.level = ${a}\n"
    assert by_kind(text, "logger")["root"].attributes["level"].value is None


def test_a_file_without_loggers_declares_nothing() -> None:
    assert elements_of("status = error\nname = x\n") == []
    assert elements_of("") == []


def test_only_files_that_have_to_do_with_flink_are_recognized() -> None:
    plain = "rootLogger.level = INFO\nappender.c.type = Console\n"
    assert file_format_of("log4j2.properties", plain) is None
    assert file_format_of("log4j.properties", "log4j.rootLogger=INFO, stdout\n") is None
    assert file_format_of("log4j-console.properties", plain) is not None
    assert file_format_of("log4j2.properties", plain + "logger.flink.name = org.apache.flink\n") is not None
    assert (
        file_format_of("log4j.properties", "log4j.rootLogger=INFO, f\nlog4j.appender.f.file=${log.file}\n") is not None
    )


def test_it_has_no_settings_and_accepts_none() -> None:
    document = read("log4j.properties", ONE)[0]
    assert (document.kind, document.entries, document.whole) == ("logging", [], False)
    assert edits_for(document, "add", "rest.port", "8081") is None


OF_A_PRODUCT = """\
rootLogger.level = INFO
rootLogger.appenderRef.file.ref = MainAppender
logger.flink.name = org.apache.flink
logger.flink.level = INFO
appender.main.name = MainAppender
appender.main.type = RollingFile
# appender.main.fileName = ${sys:log.file}.old
appender.main.fileName = {FILE}
"""


@pytest.mark.parametrize(
    ("file", "is_flinks"),
    [
        ("${sys:acme.log.file}", False),
        ("/var/log/acme/server.log", False),
        ("/var/log/flink/server.log", True),
        ("${sys:log.file}", True),
    ],
)
def test_a_file_of_another_product_that_logs_less_of_flink_is_not_flinks(file: str, is_flinks: bool) -> None:
    text = OF_A_PRODUCT.replace("{FILE}", file).replace("${sys:log.file}.old", "/old")
    assert (file_format_of("log4j2.properties", text) is not None) == is_flinks
