"""Logging files in XML, YAML, and JSON: loggers, appenders, and their spans."""

from __future__ import annotations

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.formats.logging.logging_tree import elements_of
from tests.formats.reading import parts, read

LOGBACK = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- ä: org.apache.flink -->
<configuration scan="true">
    <property name="LEVEL" value="debug"/>
    <appender name="file" class="ch.qos.logback.core.rolling.RollingFileAppender">
        <file>${log.file}</file>
        <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
            <fileNamePattern>flink-&lt;x&gt;.%d{yyyy-MM-dd}.log</fileNamePattern>
            <maxHistory> 30 </maxHistory>
        </rollingPolicy>
    </appender>
    <logger name='org.apache.kafka'
            level = 'INFO' additivity="false"/>
    <root level="${LEVEL}">
        <appender-ref ref="file"/>
    </root>
</configuration>
"""
LOG4J2 = """\
<Configuration status="WARN">
  <Appenders>
    <RollingFile name="Röll" fileName="${sys:log.file}" filePattern="x.%i">
      <PatternLayout><Pattern>%m%n</Pattern></PatternLayout>
      <Policies><SizeBasedTriggeringPolicy size="100 MB"/></Policies>
      <DefaultRolloverStrategy max="10"/>
    </RollingFile>
  </Appenders>
  <Loggers>
    <Logger name="org.apache.flink" level="info"><AppenderRef ref="Röll"/></Logger>
    <Root level="trace"><AppenderRef ref="Röll"/></Root>
  </Loggers>
</Configuration>
"""
LOG4J1 = """\
<!DOCTYPE log4j:configuration SYSTEM "log4j.dtd">
<log4j:configuration xmlns:log4j="http://jakarta.apache.org/log4j/">
  <appender name="f" class="org.apache.log4j.FileAppender"><param name="File" value="${log.file}"/></appender>
  <root><priority value="DEBUG"/><appender-ref ref="f"/></root>
</log4j:configuration>
"""
YAML = """\
Configuration:
  Appenders:
    RollingFile:
    - name: R
      fileName: ${sys:log.file}
      Policies:
        SizeBasedTriggeringPolicy: {size: 100MB}
  Loggers:
    Root:
      level: debug
      AppenderRef: {ref: R}
    Logger:
    - {name: org.apache.flink, level: info}
"""
JSON = (
    '{"configuration": {"appenders": {"Console": {"name": "C"}},\n'
    ' "loggers": {"root": {"level": "error", "AppenderRef": [{"ref": "C"}]},\n'
    '  "logger": {"name": "org.apache.flink", "level": "debug"}}}}\n'
)

SAMPLES = {
    "logback-console.xml": LOGBACK,
    "log4j2.xml": LOG4J2,
    "log4j.xml": LOG4J1,
    "log4j2.yaml": YAML,
    "log4j2.json": JSON,
}


def test_logback_keeps_attributes_with_quotes_and_texts_without_blanks() -> None:
    document = read("logback-console.xml", LOGBACK)[0]
    appenders = dict(parts(document, "appender"))
    assert appenders["file"] == {
        "type": (
            "ch.qos.logback.core.rolling.RollingFileAppender",
            '"ch.qos.logback.core.rolling.RollingFileAppender"',
        ),
        "file": (None, "${log.file}"),
        "rollingPolicy.class": (
            "ch.qos.logback.core.rolling.TimeBasedRollingPolicy",
            '"ch.qos.logback.core.rolling.TimeBasedRollingPolicy"',
        ),
        "rollingPolicy.fileNamePattern": ("flink-<x>.%d{yyyy-MM-dd}.log", "flink-&lt;x&gt;.%d{yyyy-MM-dd}.log"),
        "rollingPolicy.maxHistory": ("30", "30"),
    }


def test_logback_fills_in_its_own_properties() -> None:
    loggers = dict(parts(read("logback-console.xml", LOGBACK)[0], "logger"))
    assert loggers["root"] == {"level": ("debug", '"${LEVEL}"'), "appenders[0]": ("file", '"file"')}
    assert loggers["org.apache.kafka"] == {"level": ("INFO", "'INFO'"), "additivity": ("false", '"false"')}


def test_log4j_2_reports_the_types_of_nested_components() -> None:
    document = read("log4j2.xml", LOG4J2)[0]
    appender = dict(parts(document, "appender"))["Röll"]
    assert appender["type"] == ("RollingFile", "RollingFile")
    assert appender["fileName"] == (None, '"${sys:log.file}"')
    assert appender["Policies.SizeBasedTriggeringPolicy.size"] == ("100 MB", '"100 MB"')
    assert appender["Policies.SizeBasedTriggeringPolicy.type"][0] == "SizeBasedTriggeringPolicy"
    assert appender["DefaultRolloverStrategy.max"] == ("10", '"10"')
    assert appender["PatternLayout.Pattern"] == ("%m%n", "%m%n")


def test_the_root_of_log4j_2_is_found_behind_characters_beyond_ascii() -> None:
    loggers = dict(parts(read("log4j2.xml", LOG4J2)[0], "logger"))
    assert loggers["root"] == {"level": ("trace", '"trace"'), "appenders[0]": ("Röll", '"Röll"')}


def test_log4j_1_has_params_and_priorities() -> None:
    document = read("log4j.xml", LOG4J1)[0]
    assert document.elements[0].name == "log4j1"
    assert dict(parts(document, "appender"))["f"]["File"] == (None, '"${log.file}"')
    assert dict(parts(document, "logger"))["root"]["level"] == ("DEBUG", '"DEBUG"')


def test_log4j_2_in_yaml_and_json() -> None:
    document = read("log4j2.yaml", YAML)[0]
    assert dict(parts(document, "logger"))["root"] == {"level": ("debug", "debug"), "appenders[0]": ("R", "R")}
    appender = dict(parts(document, "appender"))["R"]
    assert appender["Policies.SizeBasedTriggeringPolicy.size"] == ("100MB", "100MB")
    assert dict(parts(read("log4j2.json", JSON)[0], "logger"))["root"]["level"] == ("error", '"error"')


def test_line_ends_of_windows_keep_the_places() -> None:
    text = LOGBACK.replace("\n", "\r\n")
    (root,) = [e for e in elements_of(text) if e.name == "root"]
    assert text[slice(*root.attributes["level"].span)] == '"${LEVEL}"'


def test_a_broken_file_keeps_everything_before_the_error() -> None:
    names = [e.name for e in elements_of(LOGBACK.replace("</configuration>", "<root>"))]
    assert "file" in names


def test_entities_of_its_own_are_not_read() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + LOGBACK
    assert elements_of(bomb) == []


def test_template_tags_do_not_break_it() -> None:
    text = LOGBACK.replace('"${LEVEL}"', '"<%= @level %>"')
    (root,) = [e for e in elements_of(text) if e.name == "root"]
    assert root.attributes["level"].value is None


def test_what_depends_on_a_condition_is_not_certain() -> None:
    text = LOGBACK.replace("<root", "<if condition='x'><then><root").replace("</root>", "</root></then></if>")
    assert [e for e in elements_of(text) if e.name == "root"] == []


def test_only_files_that_have_to_do_with_flink_are_recognized() -> None:
    other = LOGBACK.replace("org.apache.flink", "x").replace("${log.file}", "x.log")
    assert file_format_of("logback.xml", other) is None
    assert file_format_of("logback-console.xml", other) is not None
    assert file_format_of("logback-spring.xml", other) is None
    pom = file_format_of("pom.xml", "<project><x>org.apache.flink</x><configuration><a/></configuration></project>")
    assert pom is not None
    assert pom.kind == "build"
    assert file_format_of("logback.xml", LOGBACK) is not None


def test_a_suppression_is_a_comment_of_xml() -> None:
    assert "<!--" in read("logback.xml", LOGBACK)[0].file_format.comments


def test_only_properties_are_variables() -> None:
    for tag, level in (("Property", "DEBUG"), ("property", "DEBUG"), ("Variable", "DEBUG"), ("Logger", None)):
        text = (
            f'<Configuration>\n<{tag} name="LEVEL" value="DEBUG"/>\n'
            '<Loggers><Root level="${LEVEL}"/></Loggers>\n</Configuration>\n'
        )
        found = {one.name: one.attributes for one in elements_of(text, "log4j2.xml")}
        assert found["root"]["level"].value == level, tag


def test_a_configuration_inside_of_another_file_is_none() -> None:
    pom = """\
<?xml version="1.0"?>
<!-- <configuration> of org.apache.flink -->
<project>
  <configuration><filters><filter>log4j appender org.apache.flink</filter></filters></configuration>
</project>
"""
    found = file_format_of("pom.xml", pom)
    assert found is not None
    assert found.kind == "build"
    commented = LOGBACK.replace("<configuration scan", "<!-- <project> -->\n<configuration scan")
    assert file_format_of("logback.xml", commented) is not None
    assert file_format_of("logback.xml", "{% if x %}\n" + LOGBACK.partition("\n")[2]) is not None
