"""The complete table of template functions, which is filled by importing all modules of this package."""

from flink_flint.linter.formats.helm.rendering.functions import (
    collection_functions,
    condition_functions,
    encoding_functions,
    number_functions,
    pattern_functions,
    text_functions,
    version_functions,
)
from flink_flint.linter.formats.helm.rendering.functions.function_table import FUNCTIONS, UNKNOWN, Function

__all__ = ["FUNCTIONS", "MODULES", "UNKNOWN", "Function"]

MODULES = (
    collection_functions,
    condition_functions,
    encoding_functions,
    number_functions,
    pattern_functions,
    text_functions,
    version_functions,
)
"""The modules that define the template functions."""
