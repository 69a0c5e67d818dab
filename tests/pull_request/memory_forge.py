"""A forge that keeps comments in memory, counts writes, and fails on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flink_flint.linter.pull_request.forge import Comment, ForgeError, NewThread, Thread


class MemoryForge:
    """A pull request in memory."""

    name = "Memory"
    suggestion = "suggestion"

    def __init__(self, changed: Mapping[str, frozenset[int]] | None = None, longest_body: int = 65_536) -> None:
        self.longest_body = longest_body
        self.changed = changed if changed is not None else {"conf/flink-conf.yaml": frozenset(range(1, 50))}
        self.summaries: dict[str, str] = {}
        self.inline: dict[str, Thread] = {}
        self.writes: list[str] = []
        self.breaks_at: int | None = None
        """The number of the write, from 0, that fails along with all later ones."""
        self.refuses: frozenset[str] = frozenset()
        """The kinds of writes that fail."""
        self._next = 0

    def _write(self, what: str) -> None:
        if what in self.refuses or (self.breaks_at is not None and len(self.writes) >= self.breaks_at):
            raise ForgeError(f"{what}: 503")
        self.writes.append(what)

    def _id(self) -> str:
        self._next += 1
        return str(self._next)

    def comments(self) -> Sequence[Comment]:
        return [Comment(identity, body) for identity, body in self.summaries.items()]

    def create_comment(self, body: str) -> None:
        self._write("create_comment")
        assert len(body) <= self.longest_body
        self.summaries[self._id()] = body

    def update_comment(self, comment: Comment, body: str) -> None:
        self._write("update_comment")
        assert len(body) <= self.longest_body
        self.summaries[comment.id] = body

    def delete_comment(self, comment: Comment) -> None:
        self._write("delete_comment")
        del self.summaries[comment.id]

    def threads(self) -> Sequence[Thread]:
        return list(self.inline.values())

    def create_threads(self, threads: Sequence[NewThread]) -> int:
        self._write("create_threads")
        for new in threads:
            assert len(new.body) <= self.longest_body
            assert self.changed[new.path] >= set(range(new.start_line, new.line + 1))
            identity = self._id()
            self.inline[identity] = Thread(identity, identity, new.body, new.path, new.line, False, False)
        return len(threads)

    def _change(self, what: str, thread: Thread, **changed: object) -> None:
        self._write(what)
        self.inline[thread.id] = self.inline[thread.id]._replace(**changed)  # type: ignore[arg-type]

    def update_thread(self, thread: Thread, body: str) -> None:
        self._change("update_thread", thread, body=body)

    def resolve(self, thread: Thread) -> None:
        self._change("resolve", thread, resolved=True)

    def reopen(self, thread: Thread) -> None:
        self._change("reopen", thread, resolved=False)

    def delete_thread(self, thread: Thread) -> None:
        self._write("delete_thread")
        assert not self.inline[thread.id].answered
        del self.inline[thread.id]

    def changed_lines(self) -> Mapping[str, frozenset[int]]:
        return self.changed

    def line_url(self, path: str, start_line: int, line: int) -> str:
        return f"https://forge.example/o/r/blob/abc/{path}#L{start_line}-L{line}"

    # -- actions of people

    def person(self, place: int, **changed: object) -> None:
        """Reply to, resolve or reopen the thread with that index as a person."""
        identity = list(self.inline)[place]
        self.inline[identity] = self.inline[identity]._replace(**changed)  # type: ignore[arg-type]

    @property
    def state(self) -> tuple[dict[str, str], dict[str, Thread]]:
        """Return all comments and threads."""
        return dict(self.summaries), dict(self.inline)
