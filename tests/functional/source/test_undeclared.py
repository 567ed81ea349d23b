"""What an event has that nobody declares is named, whatever else it has (F17)."""

import json

from support.decoder_project import DecoderProject
from support.lake import Lake

DECLARED = {"c0": "bigint", "c1": "longtext", "c2": "double", "c3": "tinyint(1)"}
SOURCE = '"source":{"name":"shop"},"op":"u"}'
ROW = '{"c0":1,"c1":"t","c2":0.5,"c3":null}'


def event(after: str, before: str = "null") -> str:
    """An event as Debezium writes it, of the texts of its rows."""
    return f'{{"before":{before},"after":{after},{SOURCE}'


EVENTS = [
    event(ROW),
    event(ROW, before=ROW),
    event("null", before=ROW),
    # a name more: with a value, without one, in the middle, and alone
    event('{"c0":1,"c1":"t","c2":0.5,"c3":null,"x":1}', before=ROW),
    event('{"c0":1,"c1":"t","c2":0.5,"c3":null,"x":null}'),
    event('{"c0":1,"x y":{"c2":0.5},"c1":"t","c2":0.5,"c3":null}'),
    event('{"y":null}'),
    # the declared ones: in another order, fewer, in another case, written otherwise
    event('{"c1":"t","c0":1,"c3":0,"c2":0.5}'),
    event('{"c1":"t"}'),
    event('{"C1":"t","c0":1}'),
    event('{"c0": 1, "c1": "t", "c2": 5e-1, "c3": null}'),
    event(ROW).replace('"after":', '"after" : '),
    event(r'{"c0":1,"c1":"q \" b \\ n \n \u0000 \uD83D\uDE00 \/ 😀 漢","c2":1.0E10,"c3":1}'),
    # a text that is like a row, and rows in a row
    event(f'{{"c0":1,"c1":{json.dumps(event(ROW))},"c2":0.5,"c3":null}}'),
    event(f'{{"c0":1,"c1":{json.dumps(event(ROW))},"x":1}}'),
    event('{"c0":2,"c1":"t","c2":0.5,"c3":null,"z":0}', before=f'{{"c0":1,"after":{ROW}}}'),
    # a value that does not have its type
    event('{"c0":"one","c1":"t","c2":0.5,"c3":null}'),
    event('{"c0":"one","c1":"t","c2":0.5,"c3":null,"x":1}'),
    # with its schema, and with the source first
    f'{{"schema":{{}},"payload":{event(ROW)}}}',
    '{"source":{"name":"shop"},"after":{"c0":1,"z":2},"op":"c"}',
]


def names_of(text: str) -> str | None:
    """What nobody declares of an event, as Python reads it."""
    read = json.loads(text)
    row = read.get("payload", read)["after"] or {}
    unknown = [name for name in row if name not in DECLARED]
    return json.dumps(unknown, separators=(",", ":")) if unknown else None


def test_the_names_that_nobody_declares(lake: Lake) -> None:
    """Whether a row can be written again from what is read of it, or its names have to be asked;
    also where a column is left out, or has parts.
    """
    project = DecoderProject(lake)
    left_out = {"ignored_columns": ["c9"]}
    groups = {"plain": ([], {}), "others": ([], left_out), "parts": (["point"], {})}
    for group, (more, meta) in groups.items():
        project.declare(group, "mariadb", {}, [*DECLARED.values(), *more], **meta)
        project.decode_events(group, EVENTS, "id, _undeclared")
    project.dbt("run")
    for group in groups:
        found = {row["id"]: row["_undeclared"] for row in project.rows(group)}
        assert found == {n: names_of(text) for n, text in enumerate(EVENTS)}, group
