"""A GitLab server for tests: one project, its merge request, and GitLab's documented rules for comments on it.

It keeps notes, discussions and draft notes, computes the diff from the files, moves comments with a push, pages its
lists, and rejects what GitLab rejects. Requests with parameters that GitLab's API does not describe, or without
required ones, are recorded in `violations` (https://docs.gitlab.com/api/discussions/, …/notes/, …/draft_notes/,
…/merge_requests/), as is any attempt that a token does not permit.
"""

from __future__ import annotations

import difflib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit

Json = dict[str, Any]
LONGEST_NOTE = 1_000_000
GUEST, REPORTER, DEVELOPER = 10, 20, 30

_PAGES = {"page": "integer", "per_page": "integer"}
_SORTED = {"sort": {"asc", "desc"}, "order_by": {"created_at", "updated_at"}, "activity_filter": "string"}
_NUMBERS = {"new_line": "integer", "old_line": "integer"}
_END = {"line_code!": "string", "type!": {"new", "old"}, **_NUMBERS}
_POSITION = {
    "base_sha!": "string",
    "start_sha!": "string",
    "head_sha!": "string",
    "position_type!": {"text"},
    "new_path!": "string",
    "old_path!": "string",
    **_NUMBERS,
    "line_range": {"start": _END, "end": _END},
}
_MR = "/projects/:id/merge_requests/:iid"
DESCRIBED: dict[tuple[str, str], Mapping[str, Any]] = {
    ("GET", "/user"): {},
    ("GET", "/job"): {},
    ("GET", _MR): {"render_html": "boolean", "include_diverged_commits_count": "boolean"},
    ("GET", f"{_MR}/diffs"): {**_PAGES, "unidiff": "boolean"},
    ("GET", f"{_MR}/notes"): {**_PAGES, **_SORTED},
    ("POST", f"{_MR}/notes"): {"body!": "string", "created_at": "string", "internal": "boolean"},
    ("PUT", f"{_MR}/notes/:note"): {"body!": "string"},
    ("DELETE", f"{_MR}/notes/:note"): {},
    ("GET", f"{_MR}/discussions"): _PAGES,
    ("POST", f"{_MR}/discussions"): {"body!": "string", "commit_id": "string", "position": _POSITION},
    ("PUT", f"{_MR}/discussions/:discussion"): {"resolved!": "boolean"},
    ("POST", f"{_MR}/discussions/:discussion/notes"): {"body!": "string", "created_at": "string"},
    ("PUT", f"{_MR}/discussions/:discussion/notes/:note"): {"body": "string", "resolved": "boolean"},
    ("DELETE", f"{_MR}/discussions/:discussion/notes/:note"): {},
    ("GET", f"{_MR}/draft_notes"): _PAGES,
    ("POST", f"{_MR}/draft_notes"): {"note!": "string", "commit_id": "string", "position": _POSITION},
    ("DELETE", f"{_MR}/draft_notes/:draft"): {},
    ("PUT", f"{_MR}/draft_notes/:draft/publish"): {},
    ("POST", f"{_MR}/draft_notes/bulk_publish"): {},
}
"""GitLab's API description of the requests about comments: parameters with types, required ones with ``!``."""


class RefusedError(Exception):
    """An error response."""

    def __init__(self, status: int, answer: Json, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status)
        self.status = status
        self.answer = answer
        self.headers = headers or {}


@dataclass
class User:
    """The owner of a token."""

    id: int
    username: str
    role: int = DEVELOPER
    scopes: frozenset[str] = frozenset({"api"})


@dataclass
class Fault:
    """An error for the next request that matches."""

    matching: str
    """A pattern for ``METHOD path``."""
    status: int = 0
    """The status; 0 closes the connection."""
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: Any = None
    done: bool = False
    """Whether the request is executed anyway."""
    times: int = 1
    after: int = 0
    """How many such requests succeed before."""


class GitLabServer:
    """The state of the server and its request handlers."""

    def __init__(self, root: str = "") -> None:
        self.root = root
        self.project = Json(id=42, path="group/orders")
        self.number = 7
        self.tokens: dict[str, User] = {}
        self.job_tokens: dict[str, User] = {}
        self.discussions: list[Json] = []
        self.drafts: list[Json] = []
        self.faults: list[Fault] = []
        self.log: list[str] = []
        self.violations: list[str] = []
        self.orders: list[str] = []
        """Executed quick actions."""
        self.base: dict[str, str] = {}
        self.head: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        """Old paths by new ones."""
        self.folded: set[str] = set()
        self.head_sha = _sha("head 0")
        self.base_sha, self.start_sha = _sha("base"), _sha("start")
        self.unprepared = 0
        """For how many requests the merge request has no diff yet."""
        self.has_drafts = True
        self.drafts_have_positions = True
        self.most_diffs = 30
        self._id = 1000
        self._pushes = 0
        self._lock = threading.Lock()
        self.address = ""

    @contextmanager
    def serving(self) -> Iterator[GitLabServer]:
        """Serve on the loopback interface until the block ends."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"gitlab": self}))
        self.address = f"http://127.0.0.1:{server.server_address[1]}{self.root}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    # Actions of people.

    def push(self, files: Mapping[str, str]) -> None:
        """Push a new head of the merge request; comments move with unchanged lines."""
        before, self.head = self.head, dict(files)
        self._pushes += 1
        self.head_sha = _sha(f"head {self._pushes}")
        for discussion in self.discussions:
            place = discussion["notes"][0].get("position")
            if place is not None:
                moved = _moved(before.get(place["new_path"], ""), self.head.get(place["new_path"]), place["new_line"])
                if moved is not None:
                    place.update(new_line=moved, head_sha=self.head_sha)
                else:
                    note = self._note("changed this line in a new version of the diff", _SYSTEM, "DiffNote")
                    discussion["notes"].append({**note, "system": True})

    def reply(self, user: User, body: str, place: Callable[[Json], bool] = lambda note: True) -> None:
        """Reply to the first discussion whose first note matches."""
        discussion = next(one for one in self.discussions if place(one["notes"][0]))
        discussion["notes"].append({**self._note(body, user, "DiffNote"), "resolved": False})

    def write(self, user: User, body: str, path: str | None = None, line: int = 0) -> Json:
        """Comment as a person, on a line if there is a path."""
        place = None
        if path is not None:
            place = self._refs() | Json(position_type="text", old_path=path, new_path=path, new_line=line)
        return self._discuss(self._note(body, user, "DiffNote" if place else None), place)

    # State.

    @property
    def notes(self) -> list[Json]:
        """Return all notes, oldest first."""
        return sorted((note for one in self.discussions for note in one["notes"]), key=lambda note: int(note["id"]))

    @property
    def comments(self) -> list[str]:
        """Return the bodies of visible comments that are not on a line."""
        return [note["body"] for note in self.notes if note["type"] != "DiffNote" and not note["system"]]

    @property
    def inline(self) -> list[Json]:
        """Return the first notes of discussions on lines."""
        firsts = [one["notes"][0] for one in self.discussions]
        return [note for note in firsts if note["type"] == "DiffNote" and not note["system"]]

    @property
    def writes(self) -> list[str]:
        """Return the writing requests."""
        return [request for request in self.log if not request.startswith("GET ")]

    # Requests.

    def answer(self, method: str, path: str, query: Json, body: Json, headers: Mapping[str, str]) -> tuple[int, Any]:
        """Return the status and the answer to a request below ``/api/v4``. Raises RefusedError."""
        user = self._user(headers, method, path)
        if path == "/user":
            return 200, {"id": user.id, "username": user.username}
        if path == "/job":
            return 200, {"id": 1, "user": {"id": user.id, "username": user.username}}
        parts = path.split("/")[1:]
        here = len(parts) > 3 and parts[0] == "projects" and parts[2] == "merge_requests"
        if not here or unquote(parts[1]) not in (str(self.project["id"]), self.project["path"]) or not user.role:
            raise RefusedError(404, {"message": "404 Project Not Found"})
        if parts[3] != str(self.number):
            raise RefusedError(404, {"message": "404 Not found"})
        rest = parts[4:]
        if method != "GET" and "api" not in user.scopes:
            raise RefusedError(403, {"error": "insufficient_scope", "error_description": "The request requires higher"
                                " privileges than provided by the access token.", "scope": "api"})  # fmt: skip
        if not rest:
            return 200, self._merge_request()
        kind = {"diffs": self._on_diffs, "notes": self._on_notes, "discussions": self._on_discussions,
                "draft_notes": self._on_drafts}.get(rest[0])  # fmt: skip
        if kind is None or (rest[0] == "draft_notes" and not self.has_drafts):
            raise RefusedError(404, {"error": "404 Not Found"})
        return kind(method, rest[1:], query, body, user)

    def check(self, method: str, path: str, query: Json, body: Json) -> None:
        """Record what GitLab's API does not describe in a request."""
        for (verb, described), parameters in DESCRIBED.items():
            if verb == method and re.fullmatch(re.sub(r":\w+", r"[^/]+", described), path):
                # A number in JSON is text in a query.
                given = {name: int(value) if value.isdecimal() else value for name, value in query.items()} | body
                self.violations += [f"{method} {path}: {wrong}" for wrong in _wrong(given, parameters)]
                return
        self.violations.append(f"{method} {path} is not described")

    def _user(self, headers: Mapping[str, str], method: str, path: str) -> User:
        token, job_token = headers.get("PRIVATE-TOKEN"), headers.get("JOB-TOKEN")
        if token in self.tokens:
            return self.tokens[token]
        if job_token in self.job_tokens and method == "GET" and re.search(r"/job$|/notes$|merge_requests/\d+$", path):
            return self.job_tokens[job_token]
        raise RefusedError(401, {"message": "401 Unauthorized"})

    def _merge_request(self) -> Json:
        refs: Json | None = self._refs()
        if self.unprepared:
            self.unprepared -= 1
            refs = None
        return {
            "id": 900, "iid": self.number, "project_id": self.project["id"], "state": "opened", "sha": self.head_sha,
            "diff_refs": refs,
            "web_url": f"{self.address}/{self.project['path']}/-/merge_requests/{self.number}",
        }  # fmt: skip

    def _refs(self) -> Json:
        return {"base_sha": self.base_sha, "head_sha": self.head_sha, "start_sha": self.start_sha}

    def _on_diffs(self, method: str, rest: list[str], query: Json, body: Json, user: User) -> tuple[int, Any]:
        if int(query.get("per_page", 20)) > self.most_diffs:
            raise RefusedError(500, {"message": "500 Internal Server Error"})
        diffs = []
        for path in sorted({*self.base, *self.head} - set(self.renamed.values())):
            old_path = self.renamed.get(path, path)
            old, new = self.base.get(old_path), self.head.get(path)
            if old != new or old_path != path:
                folded = path in self.folded
                diffs.append({
                    "old_path": old_path, "new_path": path, "a_mode": "100644", "b_mode": "100644",
                    "diff": "" if folded else diff_of(old or "", new or ""), "collapsed": folded, "too_large": False,
                    "new_file": old is None, "renamed_file": old_path != path, "deleted_file": new is None,
                    "generated_file": False,
                })  # fmt: skip
        return 200, diffs

    def _on_notes(self, method: str, rest: list[str], query: Json, body: Json, user: User) -> tuple[int, Any]:
        if method == "GET":
            return 200, self.notes if query.get("sort") == "asc" else self.notes[::-1]
        if method == "POST":
            return 201, self._discuss(self._written(body, user), None)["notes"][0]
        discussion = next((one for one in self.discussions if any(str(n["id"]) == rest[0] for n in one["notes"])), None)
        if discussion is None:
            raise RefusedError(404, {"message": "404 Note Not Found"})
        return self._on_note(method, discussion, rest[0], body, user)

    def _on_discussions(self, method: str, rest: list[str], query: Json, body: Json, user: User) -> tuple[int, Any]:
        if not rest:
            if method == "GET":
                return 200, self.discussions
            place = body.get("position")
            if place is not None:
                self._check_position(place)
            return 201, self._discuss({**self._written(body, user), "type": "DiffNote"}, place)
        discussion = next((one for one in self.discussions if one["id"] == rest[0]), None)
        if discussion is None:
            raise RefusedError(404, {"message": "404 Discussion Not Found"})
        if len(rest) == 3:
            return self._on_note(method, discussion, rest[2], body, user)
        if user.role < DEVELOPER:
            raise RefusedError(403, {"message": "403 Forbidden"})
        for note in discussion["notes"]:
            note["resolved"] = body["resolved"]
        return 200, discussion

    def _on_note(self, method: str, discussion: Json, note_id: str, body: Json, user: User) -> tuple[int, Any]:
        note = next((note for note in discussion["notes"] if str(note["id"]) == note_id), None)
        if note is None:
            raise RefusedError(404, {"message": "404 Note Not Found"})
        if note["author"]["id"] != user.id:
            raise RefusedError(403, {"message": "403 Forbidden"})
        if method == "PUT":
            note["body"] = self._written(body, user)["body"]
            return 200, note
        discussion["notes"].remove(note)
        if not discussion["notes"]:
            self.discussions.remove(discussion)
        return 204, None

    def _on_drafts(self, method: str, rest: list[str], query: Json, body: Json, user: User) -> tuple[int, Any]:
        ours = [draft for draft in self.drafts if draft["author_id"] == user.id]
        if not rest and method == "GET":
            return 200, ours
        if not rest:
            place = body.get("position") if self.drafts_have_positions else None
            draft = {"id": self._next(), "author_id": user.id, "note": _checked(body["note"]), "discussion_id": None,
                     "position": place or dict.fromkeys(("new_path", "new_line", "old_path", "head_sha"))}  # fmt: skip
            self.drafts.append(draft)
            return 201, draft
        if rest == ["bulk_publish"]:
            published = ours
        else:
            published = [draft for draft in ours if str(draft["id"]) == rest[0]]
            if not published:
                raise RefusedError(404, {"message": "404 Not found"})
        for draft in published:
            self.drafts.remove(draft)
            if method != "DELETE":
                # As in GitLab: a note that is invalid when it is published is lost.
                try:
                    self._check_position(draft["position"])
                except RefusedError:
                    continue
                self._discuss({**self._written({"body": draft["note"]}, user), "type": "DiffNote"}, draft["position"])
        return 204, None

    def _check_position(self, place: Json) -> None:
        bad = {"message": '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}'}
        lines = self.codes(place["new_path"])
        if self._refs() != {name: place[name] for name in self._refs()} or place.get("new_line") not in lines:
            raise RefusedError(400, bad)
        code, old = lines[place["new_line"]]
        if place.get("old_line") != old or place["old_path"] != self.renamed.get(place["new_path"], place["new_path"]):
            raise RefusedError(400, bad)
        for end in (place.get("line_range") or {}).values():
            code, old = lines.get(end.get("new_line"), ("", None))
            if (end["line_code"], end.get("old_line"), end["type"]) != (code, old, "new" if old is None else "old"):
                raise RefusedError(400, bad)

    def codes(self, path: str) -> dict[int, tuple[str, int | None]]:
        """Return the line codes of the new file by number, each with the old number of an unchanged line."""
        old, new = self.base.get(self.renamed.get(path, path)), self.head.get(path)
        if new is None or path in self.folded:
            return {}
        digest, codes = _sha(path), {}
        before, after = (old or "").splitlines(keepends=True), new.splitlines(keepends=True)
        matcher = difflib.SequenceMatcher(None, before, after)
        for group in matcher.get_grouped_opcodes():
            for tag, i1, i2, j1, j2 in group:
                for number in range(j1, j2):
                    same = tag == "equal"
                    was = i1 + number - j1 + 1 if same else (i2 if tag == "replace" else i1) + (old is not None)
                    codes[number + 1] = f"{digest}_{was}_{number + 1}", was if same else None
        return codes

    def _written(self, body: Json, user: User) -> Json:
        return self._note(_checked(body["body"]), user, None)

    def _note(self, body: str, user: User, kind: str | None) -> Json:
        kept = body.replace("\r", "")
        # GitLab's own pattern: code between lines of three backticks is skipped, quick actions elsewhere are executed.
        for found in re.finditer(r"(?P<code>^```.+?\n```$)|^/(?P<order>[a-z_]+)[^\n]*", kept, re.DOTALL | re.MULTILINE):
            if found["order"] and user is not _SYSTEM:
                self.orders.append(found["order"])
        return {
            "id": self._next(), "type": kind, "body": kept.rstrip(), "system": False, "resolvable": kind is not None,
            "author": {"id": user.id, "username": user.username}, "resolved": False,
        }  # fmt: skip

    def _discuss(self, note: Json, place: Json | None) -> Json:
        if place is not None:
            note["position"] = dict(place)
        discussion = {"id": _sha(str(note["id"])), "individual_note": place is None, "notes": [note]}
        self.discussions.append(discussion)
        return discussion

    def _next(self) -> int:
        self._id += 1
        return self._id


class _Handler(BaseHTTPRequestHandler):
    gitlab: ClassVar[GitLabServer]
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet: the client does not wait for the second

    def _serve(self) -> None:
        gitlab, split = self.gitlab, urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or "{}")
        query = dict(parse_qsl(split.query))
        prefix = f"{gitlab.root}/api/v4"
        path = split.path.removeprefix(prefix)
        with gitlab._lock:
            gitlab.log.append(f"{self.command} {path}")
            if not split.path.startswith(prefix):
                gitlab.violations.append(f"{split.path} is not below {prefix}")
            gitlab.check(self.command, path, query, body)
            fault = next((one for one in gitlab.faults if re.search(one.matching, f"{self.command} {path}")), None)
            if fault is not None and fault.after:
                fault.after, fault = fault.after - 1, None
            if fault is not None:
                fault.times -= 1
                if not fault.times:
                    gitlab.faults.remove(fault)
            if fault is None or fault.done:
                try:
                    status, answer = gitlab.answer(self.command, path, query, body, self.headers)
                    headers: dict[str, str] = {}
                    if isinstance(answer, list):
                        answer, headers = self._page(answer, query)
                except RefusedError as refused:
                    status, answer, headers = refused.status, refused.answer, dict(refused.headers)
        if fault is not None:
            if not fault.status:
                self.close_connection = True
                return
            status, answer, headers = fault.status, fault.answer, dict(fault.headers)
        page = isinstance(answer, str)
        sent = b"" if answer is None else answer.encode() if page else json.dumps(answer).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", "text/html" if page else "application/json")
            self.send_header("Content-Length", str(len(sent)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)

    def _page(self, rows: list[Any], query: Json) -> tuple[list[Any], dict[str, str]]:
        size, page = min(int(query.get("per_page", 20)), 100), int(query.get("page", 1))
        last = max(1, -(-len(rows) // size))
        following = str(page + 1) if page < last else ""
        headers = {"x-page": str(page), "x-per-page": str(size), "x-next-page": following, "x-total": str(len(rows)),
                   "x-total-pages": str(last)}  # fmt: skip
        if following:
            path = urlsplit(self.path).path
            given = "&".join(f"{name}={value}" for name, value in query.items() if name != "page")
            # As behind a proxy, the server may know itself by another name.
            headers["link"] = f'<http://gitlab.internal{path}?{given}&page={following}>; rel="next"'
        return rows[(page - 1) * size : page * size], headers

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


_SYSTEM = User(0, "system")


def diff_of(old: str, new: str) -> str:
    """Return a file's diff in GitLab's form: hunks only."""
    lines = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True))
    text = ""
    for line in list(lines)[2:]:
        text += line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
    return text


def _moved(before: str, after: str | None, line: int) -> int | None:
    if after is None:
        return None
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for block in matcher.get_matching_blocks():
        if block.a <= line - 1 < block.a + block.size:
            return line - block.a + block.b
    return None


def _checked(body: str) -> str:
    if len(body) > LONGEST_NOTE:
        raise RefusedError(400, {"message": {"note": [f"is too long (maximum is {LONGEST_NOTE} characters)"]}})
    if not body.strip():
        raise RefusedError(400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})
    return body


def _wrong(given: Mapping[str, Any], described: Mapping[str, Any]) -> Iterator[str]:
    types = {name.rstrip("!"): kind for name, kind in described.items()}
    for name in described:
        if name.endswith("!") and name[:-1] not in given:
            yield f"{name[:-1]} is missing"
    for name, value in given.items():
        kind = types.get(name)
        if kind is None:
            yield f"{name} is not described"
        elif isinstance(kind, Mapping):
            yield from (_wrong(value, kind) if isinstance(value, Mapping) else [f"{name} is no object"])
        elif isinstance(kind, set):
            if value not in kind:
                yield f"{name} is {value!r}"
        elif type(value) is not {"string": str, "integer": int, "boolean": bool}[kind]:
            yield f"{name} is no {kind}"


def _sha(text: str) -> str:
    return sha1(text.encode()).hexdigest()
