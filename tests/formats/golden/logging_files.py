"""log4j 1 and 2 properties, and XML of log4j and logback."""

from __future__ import annotations

from tests.formats.golden.marks import Forms, with_windows_line_ends

LOG4J1: Forms = {
    "a level": "# 🦀\n⟦log4j.rootLogger⟧ = ⟪INFO⟫, file\n",
    "a level over lines": "⟦log4j.rootLogger⟧ = \\\n   ⟪INFO⟫, \\\n  🦀\n",
    "appenders": "⟦log4j.rootLogger⟧=INFO,  ⟪🦀⟫ ,\t⟪é⟫\n",
    "a logger": "log4j.rootLogger=INFO\n⟦log4j.logger.é🦀⟧ : ⟪DEBUG⟫\n",
    "a class": "log4j.rootLogger=INFO, x\n⟦log4j.appender.x⟧=⟪org.apache.log4j.FileAppender⟫\n",
    "a property": "log4j.rootLogger=INFO, x\nlog4j.appender.x=A\n\t⟦log4j.appender.x.File⟧ \t ⟪/🦀/é.log⟫\n",
    "escapes": "log4j.rootLogger=INFO, x\nlog4j.appender.x=A\n⟦log4j.appender.x.File⟧=⟪/\\u00e9\\\n  🦀⟫\n",
    "a variable": "log4j.rootLogger=INFO, x\nlog4j.appender.x=A\n⟦log4j.appender.x.File⟧=⟪${log.file}🦀⟫\n",
    "additivity": "log4j.rootLogger=INFO\nlog4j.logger.é=INFO\n⟦log4j.additivity.é⟧=⟪false⟫\n",
    "comments between": "! 🦀\nlog4j.rootLogger=INFO, x\n# log4j.appender.x=B\n\n⟦log4j.appender.x⟧ = ⟪A⟫\n",
}
LOG4J2: Forms = {
    "a level": "# 🦀\n⟦rootLogger.level⟧ = ⟪INFO⟫\n",
    "a short form": "⟦rootLogger⟧ = ⟪INFO⟫, ⟪🦀⟫\n",
    "a logger": "rootLogger.level = INFO\nlogger.🦀.name = é\n⟦logger.🦀.level⟧\t:\t⟪DEBUG⟫\n",
    "blanks alone": "rootLogger.level = INFO\nappender.x.name Äpp🦀\n\t⟦appender.x.target⟧ \t⟪SYSTEM ERR⟫\n",
    "a type": "rootLogger.level = INFO\nappender.x.name = 🦀\n⟦appender.x.type⟧=⟪Console⟫\n",
    "a property": (
        "rootLogger.level = INFO\nappender.x.name = x\nappender.x.type = File\n⟦appender.x.fileName⟧ = ⟪${sys:é}🦀⟫\n"
    ),
    "a nested property": (
        "rootLogger.level = INFO\nappender.x.name = x\nappender.x.type = RollingFile\n"
        "appender.x.policies.size.type = SizeBasedTriggeringPolicy\n⟦appender.x.policies.size.size⟧ = ⟪100 MB⟫\n"
    ),
    "lines joined": "rootLogger.level = INFO\nappender.x.name = x\n⟦appender.x.layout.pattern⟧ = ⟪%m\\\n   🦀%n⟫\n",
    "a reference": "rootLogger.level = INFO\n⟦rootLogger.appenderRef.🦀.ref⟧ = ⟪é⟫\n",
    "a template": "rootLogger.level = INFO\nlogger.a.name = é🦀\n⟦logger.a.level⟧ = ⟪<%= @level %>⟫\n",
}


def _xml(appenders: str = "", loggers: str = "") -> str:
    return (
        f"<Configuration><!-- ${{log.file}} --><Appenders>{appenders}</Appenders>"
        f"<Loggers>{loggers}<Root level='info'/></Loggers></Configuration>\n"
    )


def _logback(appender: str) -> str:
    return f"<configuration><!-- ${{log.file}} --><appender name='🦀' class='A'>{appender}</appender></configuration>\n"


LOG4J_XML: Forms = {
    "an attribute": _xml(loggers="<!-- 🦀 --><Logger name='é' ⟦level⟧=⟪'debug'⟫/>"),
    "blanks around the equals sign": _xml(loggers="<Logger\n\tname='🦀'\n\t⟦level⟧ =\n ⟪\"debug\"⟫ />"),
    "entities": _xml(loggers="<Logger name='&lt;🦀&#x1F980;>' ⟦level⟧=⟪'debug'⟫ ⟦additivity⟧=⟪'false'⟫/>"),
    "CDATA before": _xml(
        "<Console name='x'><PatternLayout><Pattern><![CDATA[<🦀> level='a']]></Pattern></PatternLayout></Console>",
        "<Logger name='é' ⟦level⟧=⟪'debug'⟫/>",
    ),
    "a comment with tags": _xml(loggers="<!-- <Logger name='é' level='x'/> 🦀 --><Logger name='é' ⟦level⟧=⟪'debug'⟫/>"),
    "an appender": _xml("<File name='🦀' ⟦fileName⟧=⟪'/é/🦀.log'⟫/>"),
    "a nested part": _xml(
        "<RollingFile name='🦀'><Policies><SizeBasedTriggeringPolicy ⟦size⟧=⟪'1 GB'⟫/></Policies></RollingFile>"
    ),
    "a declaration": '<?xml version="1.0" encoding="UTF-8"?>\n<!-- é🦀 -->\n'
    + _xml(loggers="<Logger name='é' ⟦level⟧=⟪'debug'⟫/>"),
    "names in any case": (
        "<Configuration><!-- ${log.file} -->"
        "<LOGGERS><ROOT LEVEL='INFO'/><LOGGER NAME='é🦀' ⟦LEVEL⟧=⟪'debug'⟫/></LOGGERS></Configuration>\n"
    ),
    "log4j 1": (
        "<log4j:configuration xmlns:log4j='http://jakarta.apache.org/log4j/'><!-- ${log.file} 🦀 -->"
        "<logger name='é'>"
        "<level ⟦value⟧=⟪'debug'⟫/></logger></log4j:configuration>\n"
    ),
}
LOGBACK: Forms = {
    "a level": '<configuration><!-- ${log.file} 🦀 --><root ⟦level⟧=⟪"INFO"⟫/></configuration>\n',
    "a logger": (
        "<configuration><!-- ${log.file} -->\n"
        "\t<logger name='🦀é'\n\t\t⟦level⟧ = ⟪'INFO'⟫ ⟦additivity⟧=⟪\"false\"⟫/>\n</configuration>\n"
    ),
    "a text": _logback("<⟦file⟧>⟪/é🦀.log⟫</file>"),
    "a text with blanks": _logback("<⟦file⟧>\n  ⟪/é.log⟫\n</file>"),
    "entities": _logback("<⟦file⟧>⟪/&lt;🦀&gt;&#233;⟫</file>"),
    "a nested text": _logback("<rollingPolicy class='é'><⟦maxHistory⟧>⟪30⟫</maxHistory></rollingPolicy>"),
    "a class": "<configuration><!-- ${log.file} --><appender name='🦀' ⟦class⟧=⟪'ch.é.A'⟫/></configuration>\n",
    "a variable": "<configuration><!-- ${log.file} 🦀 --><root ⟦level⟧=⟪'${é🦀:-INFO}'⟫/></configuration>\n",
    "a reference": (
        "<configuration><!-- ${log.file} 🦀 --><root level='INFO'><appender-ref ⟦ref⟧=⟪'🦀'⟫/></root></configuration>\n"
    ),
    "CDATA before": _logback("<encoder><pattern><![CDATA[<é>]]></pattern></encoder><⟦file⟧>⟪/x⟫</file>"),
}


def _about_flink(comment: str, forms: Forms) -> dict[str, str]:
    """Return the texts below a comment that marks them as logging configuration of Flink."""
    return {name: comment + text for name, text in forms.items()}


GOLDEN: dict[str, tuple[str, Forms]] = {
    "log4j 1 properties": ("log4j.properties", with_windows_line_ends(_about_flink("# ${log.file} 🦀\n", LOG4J1))),
    "log4j 2 properties": (
        "log4j2.properties",
        with_windows_line_ends(_about_flink("# ${log.file} 🦀\n", LOG4J2)),
    ),
    "log4j XML": ("log4j2.xml", with_windows_line_ends(LOG4J_XML)),
    "logback XML": ("logback.xml", with_windows_line_ends(LOGBACK)),
}
