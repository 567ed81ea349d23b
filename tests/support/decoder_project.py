"""A dbt project whose models decode events as staging does, from texts of their own."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from support.lake import Lake
from support.small_project import Project

MODEL = """
with parsed as (
    select *, {{{{ debezium_event(source('{group}', 'events')) }}}}
    from values {events} as events (id, value)
),

decoded as (
    select *, struct({{{{ debezium_columns(source('{group}', 'events')) }}}}) as typed from parsed
),

shown as (
    select id, typed.*, {{{{ debezium_losses(source('{group}', 'events')) }}}} from decoded
)

select {selected} from shown
"""


class DecoderProject(Project):
    """Sources with a table `events` each, whose columns are named c0, c1, ..."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake)
        self.sources: list[dict[str, Any]] = []

    def declare(
        self,
        group: str,
        connector: str,
        settings: Mapping[str, str],
        data_types: Sequence[str],
        **own: Any,
    ) -> None:
        """A source of one table; ``own`` is the rest of its config.meta."""
        columns = [{"name": f"c{n}", "data_type": kind} for n, kind in enumerate(data_types)]
        meta = {"debezium": {"connector": connector, **settings}, **own}
        tables = [{"name": "events", "columns": columns}]
        self.sources.append({"name": group, "config": {"meta": meta}, "tables": tables})
        self.write("models/sources.yml", json.dumps({"sources": self.sources}))

    def decode(self, group: str, rows: Sequence[Sequence[str]], selected: str = "*") -> None:
        """A model of the group's name; the JSON texts of a row's values are an event."""
        bodies = (",".join(f'"c{n}":{text}' for n, text in enumerate(row)) for row in rows)
        events = [f'{{"op":"c","before":null,"after":{{{body}}}}}' for body in bodies]
        self.decode_events(group, events, selected)

    def decode_events(self, group: str, events: Sequence[str], selected: str = "*") -> None:
        """A model of the group's name, with the number of each event as its ``id``."""
        numbered = (f"({number}, {literal(event)})" for number, event in enumerate(events))
        # Jinja must not see the JSON's braces
        texts = "{% raw %}" + ", ".join(numbered) + "{% endraw %}"
        model = MODEL.format(group=group, events=texts, selected=selected)
        self.write(f"models/{group}.sql", model)


def literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def unscaled(number: int, length: int | None = None) -> str:
    """The JSON text of an unscaled number as Connect's Decimal sends it: base64 of signed bytes."""
    size = length or number.bit_length() // 8 + 1
    return json.dumps(base64.b64encode(number.to_bytes(size, "big", signed=True)).decode())
