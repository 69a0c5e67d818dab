"""A rule's view of an element: its attributes, and methods to report findings on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flink_flint.linter.model.elements import ONLY_DECLARED, UNUSED
from flink_flint.linter.model.finding import Confidence, Finding, Fix, Place, Placed, Severity
from flink_flint.linter.text.ascii_numbers import is_finite, number
from flink_flint.linter.text.spans import Edit, Span

if TYPE_CHECKING:
    from flink_flint.linter.model.document import Document
    from flink_flint.linter.model.elements import Attribute, Element

_OF_PYTHON = (".py", ".ipynb", ".zpln")
"""The endings of files whose programs are Python's; of the code in notebooks only that is read."""


class ElementView:
    """A rule's view of an element or of a list member: its attributes, and methods to report findings on it."""

    __slots__ = ("_raise", "document", "element")

    def __init__(self, finding: Callable[..., Finding], element: Element, document: Document) -> None:
        self._raise = finding
        self.element = element
        self.document = document

    @property
    def kind(self) -> str:
        """The kind of the element, one of `linter.model.elements.KINDS`."""
        return self.element.kind

    @property
    def name(self) -> str:
        """The name of the element."""
        return self.element.name

    def value(self, name: str) -> Any:
        """Return the value of an attribute; None if it is missing or unknown."""
        return self.element.value(name)

    def text(self, name: str) -> str | None:
        """Return an attribute's value if it is a string; None otherwise."""
        value = self.element.value(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> float | None:
        """Return an attribute's value if it is a finite number or a string that contains one; None otherwise."""
        value = self.element.value(name)
        if isinstance(value, str):
            return number(value)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) and is_finite(value) else None

    def flag(self, name: str) -> bool | None:
        """Return an attribute's value if it is a boolean or the string "true" or "false"; None otherwise."""
        value = self.element.value(name)
        if isinstance(value, str):
            return {"true": True, "false": False}.get(value.lower())
        return value if isinstance(value, bool) else None

    def has(self, name: str) -> bool:
        """Return whether an attribute, or a parent of attributes (`spec.job`), exists, even with an unknown value."""
        return self.element.has(name)

    def is_known(self, name: str) -> bool:
        """Return whether an attribute is missing or has a known value; False if its value or a parent is unknown."""
        return self.element.is_known(name)

    def under(self, prefix: str) -> Iterator[tuple[str, Attribute]]:
        """Yield the attributes below `prefix` (such as ``environment``), each with the rest of its name."""
        return self.element.under(prefix)

    def items(self, name: str) -> list[ElementView]:
        """Return a view of each member of a list attribute."""
        return [ElementView(self._raise, member, self.document) for member in self.element.items(name)]

    def span(self, name: str | None = None, *, at: str = "value") -> Span:
        """Return the span of an attribute's value, key or both (`at`: "entry"), or of the element if `name` is None."""
        attribute = self.element.attributes.get(name) if name is not None else None
        if attribute is None:
            return self.element.span
        if attribute.key_span is None or at == "value":
            return attribute.span
        if at == "key":
            return attribute.key_span
        return Span(
            min(attribute.key_span.start, attribute.span.start), max(attribute.key_span.end, attribute.span.end)
        )

    def finding(
        self,
        message: str,
        *,
        of: str | None = None,
        at: str = "value",
        key: str | None = None,
        help: str | None = None,  # noqa: A002 - the contract's name
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        fix: Fix | None = None,
        related: Sequence[Placed | Place] = (),
        evidence: Mapping[str, object] | None = None,
        measure: float | None = None,
        even_unused: bool = False,
    ) -> Finding:
        """Return a finding on the attribute named `of`, or on the element if `of` is None.

        Its `key` is ``name.attribute`` unless given, which distinguishes it from findings on other attributes.
        On an element that nothing uses, it is advice, unless the problem is there `even_unused`.
        """
        return self._raise(
            message, span=self.span(of, at=at), key=key or (f"{self.name}.{of}" if of else self.name), help=help,
            severity=severity, confidence=confidence, fix=fix, related=related, evidence=evidence, measure=measure,
            document=self.document, unused=None if even_unused else self.text(UNUSED),
            only_declared=None if even_unused else self.text(ONLY_DECLARED),
        )  # fmt: skip

    @property
    def is_python(self) -> bool:
        """Whether the element is of a PyFlink program, in a file or a notebook."""
        return self.document.path.endswith(_OF_PYTHON)

    def method(self, name: str) -> str:
        """Return a method of Flink's API, given its Java name, as the element's language spells it."""
        return "".join(f"_{one.lower()}" if one.isupper() else one for one in name) if self.is_python else name

    def place(self, name: str | None = None, message: str = "") -> Place:
        """Return the place of an attribute or, without `name`, of the element, as a related location of a finding."""
        return Place(self.document.path, self.span(name, at="entry"), message)

    def replace(self, name: str, raw: str, *, safe: bool = False, title: str | None = None) -> Fix | None:
        """Return a fix that replaces an attribute's value with `raw`, keeping quotes; None if the value is unknown."""
        attribute = self.element.attributes.get(name)
        if attribute is None or attribute.value is None:
            return None
        quote = attribute.raw[:1] if attribute.raw[:1] in ("'", '"') and len(attribute.raw) > 1 else ""
        edit = Edit(attribute.span, f"{quote}{raw}{quote}")
        return Fix(title or f"set {name} to {raw}", [edit], safe, self.document.path)

    def __repr__(self) -> str:
        return repr(self.element)
