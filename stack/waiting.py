"""Wait for what a running stack brings, say for what, and stop where it cannot come any more."""

import json
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from stack.services import HOST, Service, StackError

AGAIN = 15  # seconds after which a wait says again what it waits for


@dataclass(frozen=True)
class Waiting:
    """How the demo waits.

    Attributes:
        services: what has to live meanwhile.
        failed: gives what has failed though its process lives, such as a connector's task.
        timeout: seconds for each thing that is waited for.
        say: where to.
    """

    services: Iterable[Service]
    failed: Callable[[], list[str]]
    timeout: float
    say: Callable[[str], object] = sys.stdout.write

    def until(self, lacking: Callable[[], list[str]], act: Callable[[], object]) -> None:
        """Act until nothing is lacking, however slow that is.

        Args:
            lacking: names what has not come.

        Raises:
            StackError: a service has died or failed, or the time is over.
        """
        begin = said_at = time.monotonic()
        said: list[str] = []
        while found := lacking():
            self.refuse_dead(found)
            now = time.monotonic()
            waited = now - begin
            if waited > self.timeout:
                raise StackError(
                    f"{', '.join(found)}: not there after {self.timeout:g} s (--timeout)"
                )
            if found != said or now - said_at > AGAIN:
                self.say(f"waiting for {', '.join(found)} ({waited:.0f} s)\n")
                said, said_at = found, now
            act()

    def refuse_dead(self, waiting_for: list[str]) -> None:
        dead = [s for s in self.services if s.pid is None]
        problems = [f"{s.name} has ended: see {s.folder / 'log'}" for s in dead]
        problems += [] if dead else self.failed()
        if problems:
            raise StackError(f"{'; '.join(problems)}. {', '.join(waiting_for)} will not come")


def failed_connectors(port: int) -> list[str]:
    """The connectors and tasks that Connect calls failed, with the first line of why."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/connectors?expand=status") as answer:
            found: dict[str, Any] = json.load(answer)
    except OSError:  # it answers later, or its process has ended
        return []
    return [
        f"the connector {name} has failed: {part.get('trace', '').partition(chr(10))[0]}"
        for name, told in sorted(found.items())
        for part in (told["status"]["connector"], *told["status"]["tasks"])
        if part["state"] == "FAILED"
    ]
