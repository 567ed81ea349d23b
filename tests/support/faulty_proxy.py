"""The errors of a cloud: a proxy of HTTP that refuses requests, and loses answers."""

import random
import threading
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

HOST = "127.0.0.1"
Chosen = Callable[[str, str], bool]
OF_A_CONNECTION = ("connection", "keep-alive", "transfer-encoding", "content-length")
SLOW_DOWN = (
    b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
)


def never(method: str, path: str) -> bool:
    return False


def one_in(requests: int) -> Chosen:
    """Chooses at random."""
    chance = random.Random(requests)
    return lambda method, path: chance.random() < 1 / requests


class FaultyProxy:
    """Before a server, while the ``with`` block runs.

    Attributes:
        refused: how many requests it has answered by 503 in the server's place.
        lost: how many answers of the server it has lost: the server has done what was asked.
    """

    def __init__(self, address: str, refuses: Chosen = never, loses: Chosen = never) -> None:
        """
        Args:
            address: of the server, as ``http://127.0.0.1:9000``.
            refuses: of a method and a path, whether the request is refused.
            loses: likewise, whether the answer is lost.
        """
        self.server, self.lock = urlsplit(address).netloc, threading.Lock()
        self.refuses, self.loses = refuses, loses
        self.refused = self.lost = 0
        self.http = ThreadingHTTPServer((HOST, 0), handler(self))
        self.http.daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.http.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.http.shutdown()
        self.http.server_close()

    def is_refused(self, method: str, path: str) -> bool:
        with self.lock:
            is_refused = self.refuses(method, path)
            self.refused += is_refused
        return is_refused

    def is_lost(self, method: str, path: str) -> bool:
        with self.lock:
            is_lost = self.loses(method, path)
            self.lost += is_lost
        return is_lost


def handler(proxy: FaultyProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if proxy.is_refused(self.command, self.path):
                self.answer(503, {"content-type": "application/xml"}, SLOW_DOWN)
                return
            server = HTTPConnection(proxy.server)
            try:
                # as they came: http.client would add headers of its own
                server.putrequest(
                    self.command, self.path, skip_host=True, skip_accept_encoding=True
                )
                for name, value in self.headers.items():
                    if name.lower() not in ("connection", "expect"):
                        server.putheader(name, value)
                server.endheaders(body)
                answer = server.getresponse()
                content = answer.read()
                if proxy.is_lost(self.command, self.path):
                    self.close_connection = True
                    return
                self.answer(answer.status, headers_of(answer), content)
            finally:
                server.close()

        def answer(self, status: int, headers: dict[str, str], content: bytes) -> None:
            is_head = self.command == "HEAD"
            self.send_response_only(status)
            for name, value in headers.items():
                if name.lower() not in OF_A_CONNECTION:
                    self.send_header(name, value)
            length = headers.get("content-length", "0") if is_head else str(len(content))
            self.send_header("content-length", length)
            self.end_headers()
            if not is_head:
                self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward  # noqa: N815

    return Handler


def headers_of(answer: HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.getheaders()}
