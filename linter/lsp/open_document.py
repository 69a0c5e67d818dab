"""One open file: its text, what its documents are, and what the rules say of them while somebody types."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING

from flink_flint.linter.engine.discovery import HEAD, LARGEST_FILE, Source
from flink_flint.linter.engine.judged import Judged
from flink_flint.linter.engine.running import Options, documents_of, finish, judge_document
from flink_flint.linter.flink.releases import LAST_FLINK_CONF, NEWEST
from flink_flint.linter.formats import carrier_of
from flink_flint.linter.lsp.deferred import put_off
from flink_flint.linter.lsp.findings import copied, moved
from flink_flint.linter.lsp.hiding import Hiding
from flink_flint.linter.lsp.rejudging import Rejudging, can_rejudge
from flink_flint.linter.lsp.rereading import Reading
from flink_flint.linter.lsp.sections import MANY_SECTIONS, Sections, is_in_sections
from flink_flint.linter.model.layers import ALONE
from flink_flint.linter.text.named_tuple import NamedTuple

if TYPE_CHECKING:
    from flink_flint.linter.config.flint_config import Preferences
    from flink_flint.linter.lsp.text_buffer import Buffer
    from flink_flint.linter.model.document import Carrier, Document
    from flink_flint.linter.model.finding import Finding
    from flink_flint.linter.model.layers import Relation

MANY_ENTRIES = 400
"""From so many settings on, a document is not read and judged as a whole at every keystroke."""
MANY_ELEMENTS = 40
"""From so many tables and queries on, a script is not either."""


class Said(NamedTuple):
    """What is to be shown of a file."""

    findings: list[Finding]
    """Levels and suppressions have been seen to, secrets not."""
    documents: list[Document]
    is_exact: bool
    """Whether `flint check` of the text would say the same, were there no other files."""


class Own(NamedTuple):
    """What an open file was found to hold by itself, which need not be found out again for the project."""

    judged: Judged
    options: Options


class Analysis:
    """The documents of an open file and their findings, for the text as it is.

    `others` are findings that other files or the project's rules have on this one; they move with the text.
    """

    def __init__(self, path: str, buffer: Buffer) -> None:
        self.path = path
        self.buffer = buffer
        self.documents: list[Document] = []
        self.others: list[Finding] = []
        self._relations: Mapping[str | None, Relation] = {}
        self._options = Options()
        self._reading: Reading | None = None
        self._rejudging: Rejudging | None = None
        self._sections: Sections | None = None
        self._hiding = Hiding()
        self._carrier: Carrier | None = None
        self._judged: Judged | None = None
        """What was found of a document that is read in parts; None unless it is what `flint check` would find."""
        self._releases: list[tuple[int, int]] = []

    def edit(self, start: int, end: int, text: str) -> None:
        """Replace characters of the text."""
        old = self.buffer.text
        replaced = self.buffer.replace(start, end, text)
        self.others = [finding for finding in self.others if moved(finding, replaced)]
        if self._reading is not None and self._rejudging is not None:
            reread = self._reading.reread(old, self.buffer, replaced)
            if reread is None:
                self._forget()
            else:
                self._rejudging.change(reread, replaced)

    def set_text(self, buffer: Buffer) -> None:
        """Put another text in its place."""
        self.buffer, self.others = buffer, []
        self._forget()

    def relate(self, relations: Mapping[str | None, Relation], others: Iterable[Finding]) -> None:
        """Take over what the project says of the documents, by their names, and of the file."""
        if relations != self._relations:
            self._relations = relations
            self._forget()
        self.others = list(others)

    def _forget(self) -> None:
        self._reading = self._rejudging = self._sections = self._judged = None

    @property
    def own(self) -> Own | None:
        """What was found of a long file by itself, with findings to keep; None unless it holds for the text as it is.

        The entries of its document move with the next edit, so that it is of use until then.
        """
        judged = self._judged
        if judged is None or judged.document.text != self.buffer.text:
            return None
        return Own(judged._replace(findings=[copied(finding) for finding in judged.findings]), self._options)

    def source(self) -> Source | None:
        """The file as its text is; None where it is none of Flink's."""
        text = self.buffer.text
        carrier = recognise(self.path, text)
        if carrier is None or carrier.missing() is not None or len(text) > LARGEST_FILE:
            return None
        return Source(self.path, text.encode("utf-8", "replace"), carrier)

    def look(self, options: Options) -> Said:
        """What there is to say of the text now; raises ValueError for preferences nobody can use."""
        said = self.look_for(inf, options)
        assert said is not None
        return said

    def look_for(self, seconds: float, options: Options) -> Said | None:
        """What there is to say of the text now; None where asking the rules takes longer than so many seconds.

        What was asked until then need not be asked again. Reading takes the time it takes. Raises ValueError for
        preferences nobody can use.
        """
        if options != self._options:
            self._options = options
            self._forget()
        if self.is_read_in_parts and carrier_by_content(self.path, self.buffer.text) is not self._carrier:
            self._forget()
        if self._sections is not None:
            found = self._sections.judge(self.buffer.text, self._relations)
            if found is not None:
                self.documents = [one.document for one in found.judged]
                self._releases = _releases(found.judged)
                return Said(self._finished(found.judged), self.documents, found.is_exact)
            self._forget()
        said = self._look_at_all() if self._reading is None else None
        if said is None and self._reading is not None and self._rejudging is not None:
            self._judged = None
            judged = self._rejudging.judge(seconds)
            if judged is None:
                return None
            if self._reading.is_exact:
                self._judged = judged
            judged.document.mask = self._hiding.mask(self.buffer, self._reading.secrets())
            self.documents = [judged.document]
            self._releases = [(0, judged.target.indices[-1])]
            return Said(self._finished([judged]), self.documents, self._reading.is_exact)
        return said

    def index_at(self, offset: int) -> int:
        """The release that the settings at an offset are for: the newest of those they are judged for."""
        above = [index for start, index in self._releases if start <= offset]
        if above or self._releases:
            return above[-1] if above else self._releases[0][1]
        carrier = likely_carrier(self.path, self.buffer.text)
        return LAST_FLINK_CONF if carrier is not None and carrier.kind == "flink-conf" else NEWEST

    @property
    def is_read_in_parts(self) -> bool:
        """Whether what it says next follows from what an edit changed."""
        return self._reading is not None or self._sections is not None

    def prepare(self, seconds: float) -> bool:
        """Get ready for edits of a long document, for some seconds at most; whether there is nothing left to do."""
        if self._sections is not None:
            return self._sections.prepare(self.buffer.text, seconds)
        return self._rejudging is None or self._rejudging.judge(seconds) is not None

    def _look_at_all(self) -> Said | None:
        """What there is to say of the text; None where it was read, and what it holds is yet to be judged."""
        source = self.source()
        found = [] if source is None else documents_of(source, self._options)
        self.documents = [document for document, _ in found]
        for document in self.documents:
            put_off(document)
        self._carrier = carrier_by_content(self.path, self.buffer.text)
        if len(found) == 1 and is_long(self.documents[0]):
            self._go_on_from(*found[0])
            if self._reading is not None and (self._reading.is_exact or self._reading.document is self.documents[0]):
                return None
        judged = [
            judge_document(document, preferences, self._options, self.relation_of(document))
            for document, preferences in found
        ]
        self._releases = _releases(judged)
        said = Said(self._finished(judged), self.documents, True)
        if source is not None and len(judged) >= MANY_SECTIONS and is_in_sections(source, self._options):
            self._sections = Sections(self.path, source.carrier, self._options)
        return said

    def _go_on_from(self, document: Document, preferences: Preferences) -> None:
        """From now on, read and judge only what edits change."""
        relation = self.relation_of(document)
        if not can_rejudge(self._options, relation):
            return
        self._reading = Reading.of(document, self.buffer)
        if self._reading is not None:
            self._rejudging = Rejudging(self._options, preferences, relation)
            self._rejudging.begin(self._reading.document)

    def relation_of(self, document: Document) -> Relation:
        """What other files said of a document of that name last; documents of this file are those of the text now."""
        relation = self._relations.get(document.name, ALONE)
        if relation is ALONE:
            return ALONE
        own = {one.name: one for one in self.documents}

        def now(documents: Sequence[Document]) -> tuple[Document, ...]:
            return tuple(own.get(one.name, one) if one.path == self.path else one for one in documents)

        return relation._replace(below=now(relation.below), beside=now(relation.beside), above=now(relation.above))

    def _finished(self, judged: list[Judged]) -> list[Finding]:
        if not judged:
            return []
        members = [one._replace(findings=[copied(finding) for finding in one.findings]) for one in judged]
        return [finding for finding in finish(members, self._options)[0] if finding.path == self.path]


def is_long(document: Document) -> bool:
    """Whether a document is read and judged in parts."""
    if document.carrier.kind == "sql" and len(document.elements) >= MANY_ELEMENTS:
        return True
    return len(document.entries) >= MANY_ENTRIES


def _releases(judged: Sequence[Judged]) -> list[tuple[int, int]]:
    """Where documents begin, and the newest release that each is judged for."""
    return sorted((one.document.head.start, one.target.indices[-1]) for one in judged)


def recognise(path: str, text: str) -> Carrier | None:
    """The kind of an open file, as that of a file that is named on the command line.

    One that merely has the name of Flink's file is Flink's as long as there is nothing in it, or Flink would refuse it.
    """
    name, head = os.path.basename(path), text[:HEAD]
    carrier = carrier_by_content(path, text)
    if carrier is None and (doubtful := carrier_of(name, head, trust_name=True)) is not None:
        documents = doubtful.read(path, text.encode("utf-8", "replace"))
        if any(refusal.reason != "template" for document in documents for refusal in document.refusals):
            return doubtful
    return carrier


def carrier_by_content(path: str, text: str) -> Carrier | None:
    """The kind of a file that a walk of its folder finds; of one with nothing in it its name tells."""
    head = text[:HEAD]
    return carrier_of(os.path.basename(path), head, trust_name=not head.strip())


def likely_carrier(path: str, text: str) -> Carrier | None:
    """The kind that a file is of, or is meant to become: its name counts, whatever it holds so far."""
    name, head = os.path.basename(path), text[:HEAD]
    return carrier_of(name, head) or carrier_of(name, head, trust_name=True)
