"""Programs in Java, Scala, Kotlin, and Python."""

from __future__ import annotations

from tests.formats.golden.marks import Forms, with_windows_line_ends


def _java(body: str) -> str:
    return (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\nclass Job {\n"
        "  public static void main(String[] args) {\n"
        "    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();\n"
        f"{body}\n  }}\n}}\n"
    )


def _scala(body: str) -> str:
    return (
        "import org.apache.flink.streaming.api.scala._\nobject Job {\n  def main(args: Array[String]): Unit = {\n"
        f"    val env = StreamExecutionEnvironment.getExecutionEnvironment\n{body}\n  }}\n}}\n"
    )


def _kotlin(body: str) -> str:
    return (
        "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment\nfun main() {\n"
        f"  val env = StreamExecutionEnvironment.getExecutionEnvironment()\n{body}\n}}\n"
    )


JAVA: Forms = {
    "a call": _java("    env.⟦setParallelism⟧(⟪4⟫);"),
    "astral characters before": _java('    /* 🦀🦀 é */ String s = "🦀"; env.⟦setParallelism⟧(⟪4⟫); // 🦀'),
    "two settings of a call": _java(
        "\tenv.⟦enableCheckpointing⟧(/* 🦀 */ ⟪60_000L⟫, /* é */ ⟪CheckpointingMode.EXACTLY_ONCE⟫);"
    ),
    "a call over lines": _java("    env\n\t\t// 🦀\n      .⟦setParallelism⟧(\n        // é\n        ⟪4⟫\n      );"),
    "a chain": _java("    env.getCheckpointConfig().⟦setCheckpointTimeout⟧(⟪60 * 1000⟫);"),
    "a string": _java(
        '    Configuration c = new Configuration(); /* 🦀 */ c.setString(⟦"rest.port"⟧, ⟪"80\\u0038\\"é"⟫);'
    ),
    "a number": _java('    Configuration c = new Configuration();\n\tc.setInteger(⟦"rest.port"⟧ , ⟪8081⟫); // é'),
    "a text block before": _java('    String s = """\n      🦀 "é"\n      """; env.⟦setParallelism⟧(⟪4⟫);'),
    "a character before": _java("    char c = '\\''; int é = 1; env.⟦setParallelism⟧(⟪0x10⟫);"),
    "a constant elsewhere": _java("    final int ä = 4; /*🦀*/ env.⟦setParallelism⟧(⟪ä⟫);"),
}
SCALA: Forms = {
    "a call": _scala("    env.⟦setParallelism⟧(⟪4⟫)"),
    "astral characters before": _scala('    /* 🦀🦀 é */ val s = "🦀"; env.⟦setParallelism⟧(⟪4⟫) // 🦀'),
    "a duration": _scala("\tenv.⟦enableCheckpointing⟧(/* 🦀 */ ⟪30.seconds.toMillis⟫)"),
    "a call over lines": _scala("    env\n      // 🦀\n\t\t.⟦setParallelism⟧(\n        ⟪4⟫ // é\n      )"),
    "a chain": _scala("    env.getCheckpointConfig.⟦setCheckpointTimeout⟧(⟪60 * 1000⟫)"),
    "a string": _scala('    val c = new Configuration(); /* 🦀 */ c.setString(⟦"rest.port"⟧, ⟪"8081"⟫)'),
    "an interpolated string before": _scala('    val s = s"🦀 ${é}"; env.⟦setParallelism⟧(⟪4⟫)'),
    "triple quotes before": _scala('    val s = """🦀\n "é" """; env.⟦setParallelism⟧(⟪4⟫)'),
    "a nested comment before": _scala("    /* a /* 🦀 */ é */ env.⟦setParallelism⟧(⟪4⟫)"),
    "two settings of a call": _scala("    env.⟦enableCheckpointing⟧(⟪60000L⟫, ⟪CheckpointingMode.EXACTLY_ONCE⟫)"),
}
KOTLIN: Forms = {
    "a call": _kotlin("  env.⟦setParallelism⟧(⟪4⟫)"),
    "astral characters before": _kotlin('  /* 🦀🦀 é */ val s = "🦀"; env.⟦setParallelism⟧(⟪4⟫) // 🦀'),
    "an assignment": _kotlin("\tenv.⟦parallelism⟧ = /* 🦀 */ ⟪4⟫ // é"),
    "a nested assignment": _kotlin("  env.checkpointConfig.⟦checkpointTimeout⟧ = ⟪60_000⟫"),
    "a call over lines": _kotlin("  env\n    // 🦀\n\t\t.⟦setParallelism⟧(\n      ⟪4⟫ // é\n    )"),
    "a string": _kotlin('  val c = Configuration(); /* 🦀 */ c.setString(⟦"rest.port"⟧, ⟪"8081"⟫)'),
    "in apply": _kotlin('  val c = Configuration().apply { /* 🦀 */ setString(⟦"rest.port"⟧, ⟪"8081"⟫) }'),
    "a template before": _kotlin('  val s = "🦀 ${é}"; env.⟦setParallelism⟧(⟪4⟫)'),
    "triple quotes before": _kotlin('  val s = """🦀\n "é" """; env.⟦setParallelism⟧(⟪4⟫)'),
    "two settings of a call": _kotlin("  env.⟦enableCheckpointing⟧(⟪60_000L⟫, ⟪CheckpointingMode.EXACTLY_ONCE⟫)"),
}
_PYTHON = (
    "from pyflink.datastream import StreamExecutionEnvironment\n"
    "env = StreamExecutionEnvironment.get_execution_environment()\n"
)
PYTHON: Forms = {
    "a call": _PYTHON + "env.⟦set_parallelism⟧(⟪4⟫)\n",
    "astral characters before": _PYTHON + 'x = "🦀é"; env.⟦set_parallelism⟧(⟪4⟫)  # 🦀\n',
    "a call over lines": _PYTHON + "env \\\n\t.⟦set_parallelism⟧(  # 🦀\n    # é\n    ⟪4⟫,\n)\n",
    "arithmetic": _PYTHON + "x = 'é'; env.get_checkpoint_config().⟦set_checkpoint_timeout⟧(⟪60 * 1_000⟫)\n",
    "a string": _PYTHON + "c = Configuration(); '🦀'; c.set_string(⟦'rest.port'⟧, ⟪\"8081\"⟫)\n",
    "triple quotes": _PYTHON + "c = Configuration()\nc.set_string(⟦'''pipeline.name'''⟧, ⟪'''🦀\né'''⟫)\n",
    "escapes": _PYTHON + "c = Configuration()\nc.set_string(⟦'web.tmpdir'⟧, ⟪'/\\'\\u00e9\\N{BULLET}'⟫)\n",
    "texts side by side": _PYTHON + "c = Configuration()\nc.set_string(⟦'web.tmpdir'⟧, ⟪'/🦀' \"é\"⟫)\n",
    "a tab": _PYTHON + "def f():\n\té = '🦀'; env.⟦set_parallelism⟧( ⟪4⟫ )\n",
    "a table environment": _PYTHON
    + "t_env = StreamTableEnvironment.create(env)\n'🦀'; t_env.get_config().set(⟦'pipeline.name'⟧, ⟪'é'⟫)\n",
}
GOLDEN: dict[str, tuple[str, Forms]] = {
    "java source": ("Job.java", with_windows_line_ends(JAVA)),
    "scala source": ("Job.scala", with_windows_line_ends(SCALA)),
    "kotlin source": ("Job.kt", with_windows_line_ends(KOTLIN)),
    "python source": ("job.py", with_windows_line_ends(PYTHON)),
}
