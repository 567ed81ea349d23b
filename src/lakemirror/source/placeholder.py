"""What stands for a PostgreSQL value that an update left as it was (TOAST), by what events show.

The connector sends its ``unavailable.value.placeholder`` for such a value, and only in updates that
do not tell the row before. A value of a json column is JSON, so what is none stands for it. A text
may be anything: a short one that updates alone have, in a column of long ones, is asked about.
"""

import base64
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakemirror.source import wire
from lakemirror.source.types import PLACEHOLDER
from lakemirror.source.unavailable import all_forms

JSON = ("json", "jsonb")
TEXTS = ("text", "varchar", "character varying", "citext", "xml")
LONG = 2_000  # characters: what may be stored apart from its row
SHORT = 200
PROOFS = 2  # so many updates with one text make it worth a question
MOST = 10_000  # texts of a column that are kept


@dataclass
class Texts:
    """The texts of a column, as far as one of them may be the placeholder.

    Attributes:
        said: the column, as messages say it.
        names: of the column, in events.
        kind: json, text or bytea.
        has_long: a value was long enough to be stored apart.
        updated: how many updates have a text, of those that may not have sent it.
        sent: the texts of all other events.
    """

    said: str
    names: Sequence[str]
    kind: str
    has_long: bool = False
    updated: Counter[str] = field(default_factory=Counter)
    sent: set[str] = field(default_factory=set)

    def look(self, row: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
        """Take an event into account; see Placeholder.look."""
        name = next((name for name in self.names if name in row), "")
        value = row.get(name)
        if not isinstance(value, str):
            return
        self.has_long = self.has_long or len(value) >= LONG
        if self.kind == "json" and is_json(value):
            return
        if len(value) > SHORT or len(self.updated) + len(self.sent) > MOST:
            return
        if before is None or before.get(name) is not None:
            self.sent.add(value)
        else:
            self.updated[value] += 1

    def found(self) -> Iterator[tuple[str, int]]:
        """What may stand for values that were not sent, and how many updates have it."""
        if self.kind == "json":
            # a json column that the connector masks has no JSON anywhere
            yield from () if self.sent else self.updated.items()
        elif self.has_long and len(self.updated) + len(self.sent) <= MOST:
            for text, count in self.updated.items():
                meant = text_of_bytes(text) if self.kind == "bytea" else text
                if text not in self.sent and count >= PROOFS and meant.strip():
                    yield meant, count


class Placeholder:
    """What is known of a connector's placeholder, and what events show of it.

    Args:
        known: the text that it is, or is taken to be.
        is_given: whether somebody has said so.
    """

    def __init__(self, known: str, is_given: bool) -> None:
        self.known, self.is_given = known, is_given
        self.forms = {*all_forms(known)}
        self.columns: dict[str, list[Texts]] = {}

    def add(self, table: str, said: str, names: Sequence[str], data_type: str) -> None:
        """A column of a table, if its values may be stored apart."""
        name = data_type.lower().partition("(")[0].strip()
        kind = {**dict.fromkeys(JSON, "json"), **dict.fromkeys(TEXTS, "text"), "bytea": "bytea"}
        if name in kind:
            found = Texts(f"{said} ({data_type})", names, kind[name])
            self.columns.setdefault(table, []).append(found)

    def look(self, table: str, row: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
        """Take the row of an event into account.

        Args:
            before: of an update, what its event tells of the row before; None of other events.
        """
        for texts in self.columns.get(table, ()):
            texts.look(row, before)

    def is_unsent(self, value: Any) -> bool:
        """Whether it stands for a value that was not sent."""
        if isinstance(value, list):
            value = json.dumps(value, separators=(",", ":"), default=str)
        return isinstance(value, str) and value in self.forms

    def is_open(self, table: str) -> bool:
        """Whether more of a table's events may tell what it is."""
        return table in self.columns and not (self.is_given or self.has_known())

    def has_known(self) -> bool:
        """Whether what is known has come."""
        every = [texts for of_table in self.columns.values() for texts in of_table]
        return any(not self.forms.isdisjoint(texts.updated) for texts in every)

    def others(self, is_json: bool) -> dict[str, tuple[str, int]]:
        """By text, a column that has another than what is known, and in how many updates.

        Args:
            is_json: of json columns, which prove it; else of texts and bytes.
        """
        found: dict[str, tuple[str, int]] = {}
        for of_table in self.columns.values():
            for texts in of_table:
                if is_json == (texts.kind == "json"):
                    for text, count in texts.found():
                        if text not in self.forms:
                            found.setdefault(text, (texts.said, count))
        return found

    def told(self) -> tuple[str, str] | None:
        """What the events prove it to be, if it is another than what is known, and the column."""
        found = self.others(is_json=True)
        if len(found) != 1 or self.is_given or self.has_known():
            return None
        [(text, (said, _))] = found.items()
        return text, said

    def conflict(self) -> str | None:
        """What does not go together: texts that are no JSON, and not what is known."""
        found = self.others(is_json=True)
        if not found or self.told():
            return None
        said = next(iter(found.values()))[0]
        texts = [*found]
        if self.is_given:
            return (
                f"{PLACEHOLDER} is given as {wire.shown(self.known)}, and {said} has "
                f"{wire.shown(texts[0])}, which is no JSON"
            )
        both = [self.known, *texts] if self.has_known() else texts
        return (
            f"{said} has {' and '.join(map(wire.shown, both[:2]))}, which are no JSON: only one "
            f"stands for what was not sent. Say which: --setting {PLACEHOLDER}=..."
        )

    def question(self) -> str | None:
        """What somebody has to say, where a text looks as if it stood for others."""
        found = self.others(is_json=False)
        if not found or self.is_given or self.has_known() or self.others(is_json=True):
            return None
        text, (said, count) = next(iter(found.items()))
        return (
            f"{PLACEHOLDER} cannot be told: {said} has {wire.shown(text)} in {count} updates, in "
            "no other event, and long values else. Say what the connector sends for a value that "
            f"an update left as it was: --setting {PLACEHOLDER}={wire.printable(text)}, or "
            f"--setting {PLACEHOLDER}={self.known} if that is a value"
        )


def is_json(text: str) -> bool:
    """Whether a text is JSON, or so deep that it cannot be told."""
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def bytes_of_base64(value: str) -> bytes:
    return base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)


def text_of_bytes(value: str) -> str:
    """The text that bytes have, from their base64 or hex; empty where they have none."""
    for decode in (bytes.fromhex, bytes_of_base64):
        try:
            found = decode(value).decode()
        except ValueError:
            continue
        if found.isprintable():
            return found
    return ""
