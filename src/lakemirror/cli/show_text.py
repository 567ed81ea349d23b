"""A row and its history as text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lakemirror.cli.show import Change, Shown
from lakemirror.cli.status_text import Part

WIDTH = 60  # characters of a value
HISTORY = ("offset", "op", "order", "source time", "changed", "in the mirror")
QUARANTINE = ("offset", "quarantined at", "reason", "state", "settled at", "because")


def parts(found: Shown) -> Iterator[Part]:
    """The tables: the row, or the delete that is remembered; the history; the quarantine."""
    row = found.row or found.tombstone
    if row:
        header = ("column", "value") if found.row else ("column", "value of the delete")
        yield Part(header, [(name, shown(value)) for name, value in row.items()], "")
    yield Part(
        HISTORY,
        [change_row(change) for change in found.history],
        f"No record of it is in {found.raw}.",
    )
    if found.quarantine:
        rows = [
            (
                *(place(q["_kfk_partition"], q["_kfk_offset"]), q["quarantined_at"], q["reason"]),
                *(q["state"], q["settled_at"], q["settled_reason"]),
            )
            for q in found.quarantine
        ]
        yield Part(QUARANTINE, rows, "")


def heading(found: Shown) -> str:
    key = ", ".join(f"{name} = {value}" for name, value in found.key.items())
    return f"{found.table} where {key}"


def notes(found: Shown) -> Iterator[str]:
    if found.records > len(found.history):
        yield (
            f"These are the newest {len(found.history)} of {found.records} records; --last shows "
            "more."
        )
    yield found.verdict


def change_row(change: Change) -> tuple[Any, ...]:
    return (
        *(place(change.partition, change.offset), change.op, change.order, change.source_time),
        *(changed(change), change.outcome),
    )


def place(partition: int, offset: int) -> str:
    return f"{partition}:{offset}"


def changed(change: Change) -> str:
    """The columns that a change has changed; its values, where nothing was before or tells it."""
    if not change.knows_before:
        return ", ".join(f"{name}={shown(new)}" for name, (_, new) in change.changed.items())
    return ", ".join(
        f"{name}: {shown(old)} -> {shown(new)}" for name, (old, new) in change.changed.items()
    )


def shown(value: Any) -> str:
    """A value on one line, and not all of a long one."""
    text = value if isinstance(value, str) else as_text(value)
    text = "".join(sign if sign.isprintable() else " " for sign in text)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def as_text(value: Any) -> str:
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if value is None or isinstance(value, bool | Mapping | list):
        return json.dumps(value, default=str, ensure_ascii=False)
    return str(value)
