"""Which connector sends a source's events, and where its values are looked for."""

import re
from dataclasses import replace

import pytest

from lakemirror.cli.evidence import (
    HEAD,
    EvidenceError,
    Head,
    connector_of,
    head_of,
    pattern,
    refuse_rows,
    tombstones_of,
)
from lakemirror.source.inference import Column
from support.small_lake import raw_record, raw_table

MARIADB = Head("mariadb", ("shop", "orders"), frozenset(["id"]), ("id",), rows=0, records=5)
MYSQL = Head("mysql", ("shop", "lines"), frozenset(["id"]), ("id",), rows=0, records=5)
SILENT = Head(None, (), frozenset(), (), rows=0, records=0)
FLAT = Head(None, (), frozenset(), (), rows=3, records=5)


@pytest.mark.parametrize(
    ("heads", "given", "found"),
    [
        ([MARIADB, SILENT], None, "mariadb"),
        ([MARIADB], "mariadb", "mariadb"),
        ([SILENT], "vitess", "vitess"),
    ],
)
def test_the_events_say_their_connector(heads, given, found):
    assert connector_of("shop", dict(zip("ab", heads, strict=False)), given) == found


@pytest.mark.parametrize(
    ("heads", "given", "problem"),
    [
        (
            *([MARIADB, MYSQL], None),
            "events of two connectors: raw.shop__a of mariadb and raw.shop__b of mysql",
        ),
        ([SILENT, MYSQL], "mariadb", "given as mariadb, and the events of raw.shop__b are mysql's"),
        ([SILENT], None, "no event of the source shop says which connector has sent it"),
        (
            [Head("oracle", (), frozenset(), (), 0, 1)],
            *(None, "raw.shop__a are of the connector 'oracle', and there are mariadb, mysql"),
        ),
    ],
)
def test_connectors_that_do_not_go_together(heads, given, problem):
    with pytest.raises(EvidenceError, match=re.escape(problem)):
        connector_of("shop", dict(zip("ab", heads, strict=False)), given)


def test_rows_without_an_envelope():
    refuse_rows("shop", {"a": MARIADB, "b": SILENT})
    with pytest.raises(EvidenceError, match="3 of the 5 newest records"):
        refuse_rows("shop", {"a": MARIADB, "b": FLAT})


@pytest.mark.parametrize(
    ("value", "is_there"),
    [
        ('{"after":{"a":1}}', True),
        ('{"after": {"a" : "x"}}', True),
        ('{"before":{"a":1},"after":{"a":null}}', True),
        ('{"after":{"a":null}}', False),
        ('{"after":{"b":1}}', False),
        (r'{"after":{"o\"d.d":[1]}}', True),
        ('{"after":{"A":1}}', True),
    ],
)
def test_values_that_are_looked_for(value, is_there):
    columns = [Column("t", "a", "date", spellings=("A",)), Column("t", 'o"d.d', "date")]
    assert bool(re.search(pattern(columns), value)) is is_there


def test_nothing_is_looked_for_in_particular():
    assert pattern([]) == ""


@pytest.mark.parametrize(
    ("deletes", "has_tombstones", "said"),
    [
        (3, True, "tombstones.on.delete=true: from shop.a, which has tombstones"),
        (
            *(3, False),
            "tombstones.on.delete=false: from shop.a, which has 3 deletes among its newest "
            "records, and no tombstone",
        ),
        (1, False, None),  # its tombstone may be the next record to land
        (0, False, None),
    ],
)
def test_tombstones(deletes, has_tombstones, said):
    head = replace(MARIADB, deletes=deletes, has_tombstones=has_tombstones)
    assert tombstones_of("shop", {"a": head, "b": SILENT}) == said


@pytest.mark.parametrize("has_tombstones", [True, False])
def test_tombstones_have_no_time_and_lie_in_files_of_their_own(tmp_path, has_tombstones):
    changes = [raw_record(n, "d" if n % 2 else "c", id=n) for n in range(2 * HEAD)]
    tombstones = [raw_record(n) for n in range(1, 2 * HEAD, 2)]
    head = head_of(raw_table(tmp_path, changes, tombstones if has_tombstones else []))
    assert (head.records, head.deletes, head.has_tombstones) == (HEAD, HEAD // 2, has_tombstones)
    assert (head.connector, head.names) == ("postgresql", ("d", "shop", "orders"))
