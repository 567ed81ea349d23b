"""What of raw goes, and what is written to an archive before. F36, F38."""

from types import SimpleNamespace

import pytest

from lakemirror.runs import retention
from lakemirror.runs.policies import policy_of
from lakemirror.runs.retention import Retention, whole_until
from lakemirror.runs.warehouse import OvertakenError
from lakemirror.state.care import Outlived

GOES = Outlived("2026-01-03 00:00:00", "2026-01-03 00:00:00.000000", 7, 900)


class Warehouse:
    """One that runs nothing."""

    def retry(self, statement):
        pass


def of(name, monkeypatch, archived):
    """The retention of a raw table, which notes what it has archived."""
    tables = SimpleNamespace(warehouse=Warehouse(), drop_dead_branches=lambda table: None)
    policy = policy_of("raw", {"retention": "30d", "archive": "s3://old"})
    table = SimpleNamespace(relation=name, head=7, snapshots=[], properties={})
    found = Retention(tables, SimpleNamespace(name=name, policy=policy), table)

    monkeypatch.setattr(found, "tell", lambda *arguments: None)
    monkeypatch.setattr(found, "archive", lambda outlived, folder: archived.append(name))
    return found


def test_what_is_archived_once_is_not_again(monkeypatch):
    """Where landings overtake it; another table of as many records has an archive of its own."""
    archived, known = [], set()
    moved = [True]

    def forward(*arguments):
        if moved and moved.pop():
            raise OvertakenError("moved")

    monkeypatch.setattr(retention, "drop_whole_files", forward)
    with pytest.raises(OvertakenError):
        of("raw.a", monkeypatch, archived).drop(GOES, "run", known)
    assert of("raw.a", monkeypatch, archived).drop(GOES, "run", known) == "7 records"
    assert archived == ["raw.a"]
    of("raw.b", monkeypatch, archived).drop(GOES, "run", known)
    assert archived == ["raw.a", "raw.b"]


@pytest.mark.parametrize(
    ("files", "until", "expected"),
    [
        ([], 10, 10),
        ([(1, 4), (12, 15)], 10, 10),
        ([(1, 10)], 10, 1),
        ([(1, 9)], 10, 10),
        ([(10, 20)], 10, 10),
        # what one file keeps back keeps back those that it shares a time with
        ([(8, 12), (5, 9), (1, 4)], 10, 5),
        ([(8, 12), (5, 9), (1, 6)], 10, 1),
        ([(None, None), (1, 4)], 10, 10),
    ],
)
def test_files_go_whole(files, until, expected):
    assert whole_until(files, until) == expected
