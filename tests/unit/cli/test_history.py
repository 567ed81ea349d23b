"""The commits of tables that PyIceberg has written: what each is, and what it has done."""

import json
import sys

import pyarrow as pa
import pytest

from lakemirror.cli.main import main
from support.small_lake import add_table, small_lake

ROWS = pa.table({"id": [1, 2, 3]})
RUN = "0123456789abcdef"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["lakemirror", "history", *arguments])
        capsys.readouterr()
        code = main()
        return code, *capsys.readouterr()

    return run


def merge(bookmark, **more):
    counts = {"read": 3, "applied": 2, "stale": 1, "duplicate": 0, "ignored": 0, "quarantined": 0}
    said = {"raw-snapshot-id": bookmark, "merged-by": "merge", "invocation-id": RUN}
    return {f"lakemirror.{n}": str(v) for n, v in {**said, **counts, **more}.items()}


@pytest.fixture
def mirror(tmp_path):
    """A first merge; a foreign append, which the next merge tells of; a part and its merge; and a
    foreign one that no run has seen yet."""
    catalog = small_lake(tmp_path, {})
    table = add_table(catalog, "mirror.shop__t", ROWS, **merge(1))
    table.append(ROWS)
    known = table.current_snapshot().snapshot_id
    table.append(ROWS, snapshot_properties={"lakemirror.part": "delete"})
    table.append(ROWS, snapshot_properties=merge(2, **{"foreign-commits": json.dumps([known])}))
    table.append(ROWS)
    return table


def test_the_commits_are_named_and_the_newest_is_last(mirror, call):
    code, out, error = call("mirror_shop__t", "--json")
    assert (code, error) == (0, "")
    found = json.loads(out)
    assert [commit["what"] for commit in found] == [
        *("merge", "foreign", "part of the next", "merge", "foreign")
    ]
    assert [commit["snapshot_id"] for commit in found] == [
        snapshot.snapshot_id for snapshot in mirror.snapshots()
    ]
    first = found[0]
    assert first["counts"]["read"] == first["counts"]["applied"] + first["counts"]["stale"] == 3
    assert (first["bookmark"], first["rows_added"], first["data_files_added"]) == (1, 3, 1)
    assert first["bytes_added"] > 0
    assert (first["run"], first["rows_removed"], first["is_undone"]) == (RUN, 0, False)
    assert (found[-1]["refs"], found[-1]["counts"], found[-1]["run"]) == (["main"], {}, None)


def test_the_newest_alone_and_the_rest_is_told(mirror, call):
    code, out, _ = call("mirror.shop__t", "--limit", "2")
    assert code == 0
    header, merged, foreign, more, who = out.splitlines()
    assert header.split()[:3] == ["time", "snapshot", "what"]
    assert " merge " in merged
    assert RUN[:8] in merged
    assert " foreign " in foreign
    assert more == "3 older commits: --limit shows more."
    assert who.startswith("Foreign commits are of others than lakemirror")


def test_what_is_no_merge(tmp_path, call):
    catalog = small_lake(tmp_path, {"raw.shop__t": ROWS})
    add_table(catalog, "daily.shop__t", ROWS, **{"lakemirror.ds": "2026-01-31"})
    add_table(
        catalog, "mirror.shop__t__tombstones", ROWS, **{"lakemirror.pruned-until": "2026-01-13"}
    )
    for table, what in (
        ("raw.shop__t", "landing"),
        ("daily_shop__t", "day 2026-01-31"),
        ("mirror.shop__t__tombstones", "prune before 2026-01-13"),
    ):
        [commit] = json.loads(call(table, "--json")[1])
        assert commit["what"] == what


def test_a_commit_that_was_taken_back_is_told_as_such(mirror, call):
    first, *later = mirror.snapshots()
    mirror.manage_snapshots().rollback_to_snapshot(first.snapshot_id).commit()
    found = json.loads(call("mirror_shop__t", "--json")[1])
    assert [commit["is_undone"] for commit in found] == [False, *(True for _ in later)]
    whats = ["merge", "foreign", "part of the next", "merge", "foreign"]
    assert [commit["what"] for commit in found] == whats


def test_a_name_that_nothing_has(mirror, call):
    code, out, error = call("mirror_shop__u")
    assert (code, out) == (2, "")
    assert error == (
        "neither a model nor a table is called mirror_shop__u; did you mean mirror_shop__t?\n"
    )
