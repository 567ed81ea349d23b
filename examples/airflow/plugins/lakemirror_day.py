"""A sensor that waits for a day of a source, without holding a worker.

The day is there when ``lakemirror wait`` says so: it ends with 0 when the day is complete, with 1
while it is not, and with 2 where it never will be.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

from airflow.sdk import BaseSensorOperator
from airflow.sdk.exceptions import AirflowFailException
from airflow.triggers.base import BaseTrigger, TriggerEvent

NOT_YET = 1


class DayTrigger(BaseTrigger):
    """Look again and again, in the triggerer.

    Args:
        command: ends with 1 until the day is there.
        folder: of the dbt project.
        seconds: between two looks.
    """

    def __init__(self, command: list[str], folder: str, seconds: float) -> None:
        super().__init__()
        self.command, self.folder, self.seconds = command, folder, seconds

    def serialize(self) -> tuple[str, dict[str, Any]]:
        given = {"command": self.command, "folder": self.folder, "seconds": self.seconds}
        return "lakemirror_day.DayTrigger", given

    async def run(self) -> AsyncIterator[TriggerEvent]:
        while True:
            looking = await asyncio.create_subprocess_exec(
                *self.command,
                cwd=self.folder,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            said, _ = await looking.communicate()
            if looking.returncode != NOT_YET:
                yield TriggerEvent({"code": looking.returncode, "said": said.decode().strip()})
                return
            await asyncio.sleep(self.seconds)


class DaySensor(BaseSensorOperator):
    """Wait until a source is complete until the end of a day (UTC).

    Args:
        lakemirror: the command.
        folder: of the dbt project.
        source: how the names of its raw tables begin.
        day: as ``2026-01-31``; a template.
        tables: daily tables that are to have published it, too.
    """

    template_fields = ("day",)

    def __init__(
        self,
        *,
        lakemirror: str,
        folder: str,
        source: str,
        day: str,
        tables: tuple[str, ...] = (),
        poke_interval: float = 60,
        timeout: float = 6 * 3600,
        **given: Any,
    ) -> None:
        super().__init__(poke_interval=poke_interval, timeout=timeout, **given)
        self.lakemirror, self.folder, self.source = lakemirror, folder, source
        self.day, self.tables = day, tables

    @property
    def command(self) -> list[str]:
        """One look at the day."""
        asked = ["wait", "--source", self.source, "--ds", self.day, "--timeout", "0s"]
        return [self.lakemirror, *asked, *(("--tables", *self.tables) if self.tables else ())]

    def execute(self, context: Any) -> None:
        self.defer(
            trigger=DayTrigger(self.command, self.folder, self.poke_interval),
            method_name="arrived",
            timeout=timedelta(seconds=self.timeout),
        )

    def arrived(self, context: Any, event: dict[str, Any]) -> None:
        """What the last look has said."""
        if event["code"]:
            raise AirflowFailException(event["said"])
        self.log.info("%s", event["said"])
