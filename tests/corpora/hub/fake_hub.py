"""A little Hugging Face hub on this machine: as much of its interface as its client asks for."""

import hashlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote, urlsplit

Files = dict[str, bytes]


def commit_of(repository: str, revision: str) -> str:
    """A revision's commit: itself if it is one already."""
    if len(revision) == 40:
        return revision
    return hashlib.sha1(f"{repository}@{revision}".encode()).hexdigest()


class FakeHub:
    """``add`` a repository, then let the client ask for it.

    ``requests`` are the method and path of each request so far. ``gated`` holds repositories that
    refuse, ``stalled`` ends of paths to which no answer comes, ``cut`` ends of paths whose next
    answer breaks off in the middle; what was left is asked for by a range.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, dict[str, Files]] = {}
        self.other: Files = {}
        self.requests: list[str] = []
        self.ranges: list[tuple[str, str]] = []
        self.gated: set[str] = set()
        self.stalled: set[str] = set()
        self.cut: set[str] = set()
        self.resumed = threading.Event()
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.resume()
        self._server.shutdown()
        self._server.server_close()

    def resume(self) -> None:
        """Answer again what stalled, when the client asks again."""
        self.stalled.clear()
        self.resumed.set()

    def add(self, repository: str, files: Files, *, revision: str = "main") -> None:
        revisions = self.repositories.setdefault(repository, {})
        revisions[revision] = revisions[commit_of(repository, revision)] = files


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path).lstrip("/")
        self.hub.requests.append(f"{self.command} {path}")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        for end in tuple(self.hub.stalled):
            if path.endswith(end):
                self.hub.resumed.wait(30)
                self.close_connection = True
                return
        if path in self.hub.other:
            self._send(200, self.hub.other[path])
            return
        parts = path.split("/")
        if parts[:2] == ["api", "datasets"]:
            repository, rest = "/".join(parts[2:4]), parts[4:]
            action = rest[0] if rest else "revision"
            rest = rest[1:] or ["main"]
        elif parts[0] == "datasets" and parts[3:4] == ["resolve"]:
            repository, action, rest = "/".join(parts[1:3]), "resolve", parts[4:]
        else:
            self._refuse(404, "", "no such page")
            return
        revisions = self.hub.repositories.get(repository)
        if revisions is None:
            self._refuse(401, "RepoNotFound", "Repository not found")
        elif repository in self.hub.gated:
            self._refuse(403, "GatedRepo", "Access to this dataset is restricted")
        else:
            revision = next(
                (name for name in revisions if "/".join([*rest, ""]).startswith(f"{name}/")), None
            )
            if revision is None:
                self._refuse(404, "RevisionNotFound", "Invalid rev id")
                return
            below = "/".join(rest)[len(revision) + 1 :]
            answers: dict[str, Callable[[], None]] = {
                "revision": lambda: self._tell(repository, revision),
                "tree": lambda: self._list(revisions[revision], below),
                "paths-info": lambda: self._look_up(revisions[revision], body),
                "resolve": lambda: self._give(revisions[revision], below, repository, revision),
            }
            answers[action]()

    def _tell(self, repository: str, revision: str) -> None:
        files = self.hub.repositories[repository][revision]
        self._send_json(
            {
                "id": repository,
                "sha": commit_of(repository, revision),
                "siblings": [{"rfilename": name} for name in files],
                "private": False,
                "tags": [],
                "downloads": 0,
                "likes": 0,
            }
        )

    def _list(self, files: Files, below: str) -> None:
        folder = f"{below}/" if below else ""
        recursive = "recursive=True" in self.path or "recursive=true" in self.path
        found: dict[str, dict[str, Any]] = {}
        for name, content in files.items():
            if not name.startswith(folder):
                continue
            head, slash, _ = name[len(folder) :].partition("/")
            if slash and not recursive:
                found[head] = {"type": "directory", "path": folder + head, "oid": "0", "size": 0}
            else:
                found[name] = self._describe(name, content)
        if not found:
            self._refuse(404, "EntryNotFound", "no such folder")
        else:
            self._send_json(list(found.values()))

    def _look_up(self, files: Files, body: bytes) -> None:
        wanted = json.loads(body)["paths"] if body.startswith(b"{") else []
        found = [self._describe(name, files[name]) for name in wanted if name in files]
        found += [
            {"type": "directory", "path": name, "oid": "0", "size": 0}
            for name in wanted
            if any(each.startswith(f"{name}/") for each in files)
        ]
        self._send_json(found)

    @staticmethod
    def _describe(name: str, content: bytes) -> dict[str, Any]:
        oid = hashlib.sha1(content).hexdigest()
        return {"type": "file", "path": name, "oid": oid, "size": len(content)}

    def _give(self, files: Files, name: str, repository: str, revision: str) -> None:
        content = files.get(name)
        if content is None:
            self._refuse(404, "EntryNotFound", "Entry not found")
            return
        headers = {
            "ETag": f'"{hashlib.sha1(content).hexdigest()}"',
            "X-Repo-Commit": commit_of(repository, revision),
            "Accept-Ranges": "bytes",
        }
        wanted = self.headers.get("Range")
        if wanted and self.command == "GET":
            self.hub.ranges.append((name, wanted))
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            stop = min(int(last) + 1 if last else len(content), len(content))
            headers["Content-Range"] = f"bytes {first}-{stop - 1}/{len(content)}"
            self._send(206, content[int(first) : stop], headers, name)
        else:
            self._send(200, content, headers, name)

    def _send_json(self, content: Any) -> None:
        self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _refuse(self, status: int, code: str, message: str) -> None:
        self._send(status, b"", {"X-Error-Code": code, "X-Error-Message": message})

    def _send(
        self,
        status: int,
        content: bytes,
        headers: dict[str, str] | None = None,
        name: str = "",
    ) -> None:
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "HEAD":
            return
        for end in list(self.hub.cut):
            if name.endswith(end):
                self.hub.cut.remove(end)
                self.wfile.write(content[: len(content) // 2])
                self.wfile.flush()
                time.sleep(0.05)
                self.close_connection = True
                self.connection.close()
                return
        self.wfile.write(content)
