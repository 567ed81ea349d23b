"""What a resync refuses, says, and carries on."""

from types import SimpleNamespace

import pytest

from dbt.adapters.lakemirror import runs
from lakemirror.layers import PLAIN
from lakemirror.runs import messages
from lakemirror.runs.resync import ResyncRun, mode_problem
from lakemirror.state.window import Snapshot

SNAPSHOT = {"_tx_log": None, "_tx_epoch": 0, "_tx_rank": 10, "_tx_order": -1}
TOLD = SNAPSHOT | {"_src_ts": "2026", "rows": 3}
WHOLE = TOLD | {"keyless": 0, "is_older": False, "has_begin": True, "has_end": True}
FOUND = "mirror_t: the newest full snapshot has 3 rows, of 2026, order (0, 10, -1). "


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


def refuse(problem):
    raise RefusedError(problem)


@pytest.mark.parametrize(
    ("mode", "existing", "problem"),
    [
        (True, "mirror.t", "is dry_run or apply, and not True"),
        ("dry_run", None, "there is no mirror to resync yet"),
    ],
)
def test_what_cannot_be_resynced(mode, existing, problem):
    said = mode_problem(mode, SimpleNamespace(name="mirror_t", existing=existing))
    assert problem in said
    assert "dbt run --select mirror_t" in said


@pytest.mark.parametrize("mode", ["dry_run", "apply"])
def test_what_can_run(mode):
    assert mode_problem(mode, SimpleNamespace(name="mirror_t", existing="mirror.t")) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, "a run of changes"), ({"resync": "apply"}, "a resync"), ({"resync": False}, "a resync")],
)
def test_without_the_var_changes_are_merged(monkeypatch, given, expected):
    """A value that is no mode reaches the resync, which refuses it."""
    model = SimpleNamespace(
        name="mirror_t",
        target="mirror.t",
        kind="mirror",
        config={"unique_key": ["id"]},
        var=given.get,
    )
    monkeypatch.setattr(runs, "model_of", lambda adapter, context: model)
    monkeypatch.setattr(runs, "ResyncRun", lambda *_: "a resync")
    monkeypatch.setitem(runs.RUNS, "mirror", lambda *_: "a run of changes")
    assert runs.ModelRun(SimpleNamespace(layers=PLAIN), {}).run == expected


@pytest.fixture
def run():
    """A run whose batch has this window, and whose model has these columns."""

    def make(window, previous, columns=("_src_snapshot",)):
        return SimpleNamespace(
            model=SimpleNamespace(name="mirror_t", sql="select 1", invocation_id="run-2"),
            remembered_by=7,
            batch=SimpleNamespace(window=window, previous=previous, foreign=[5]),
            warehouse=SimpleNamespace(
                refuse=refuse,
                columns_of=lambda query: [{"name": n, "data_type": "string"} for n in columns],
            ),
        )

    return make


@pytest.mark.parametrize(
    ("window", "previous", "columns", "problem"),
    [
        ("a window", "a commit", ["_src_snapshot"], "Run the model first"),
        (None, None, ["_src_snapshot"], "Run the model first"),
        (None, "a commit", ["id"], "has no column _src_snapshot"),
    ],
)
def test_what_is_not_ready(run, window, previous, columns, problem):
    with pytest.raises(RefusedError) as refused:
        ResyncRun.refuse_unmerged(run(window, previous, columns))
    assert problem in str(refused.value)
    assert "dbt run --select mirror_t" in str(refused.value)


def test_a_mirror_that_has_merged_all_is_ready(run):
    ResyncRun.refuse_unmerged(run(None, "a commit"))


def test_all_that_the_mirror_knows_goes_on(run):
    """Case 82, but for the counts, which are the events that a commit has read."""
    summary = {
        "lakemirror.raw-snapshot-id": "7",
        "lakemirror.max-src-ts": "2026",
        "lakemirror.epochs": "{}",
        "lakemirror.anything": "lakemirror.too",
        "lakemirror.read": "9",
        "lakemirror.unguarded": "1",
        "lakemirror.maintains": "3",
        "lakemirror.taken-in": "4",
        "lakemirror.unknown": "2",
        "lakemirror.invocation-id": "run-1",
        "total-records": "4",
    }
    previous = Snapshot(1, None, "append", summary)
    found = ResyncRun.resync_properties(run(None, previous), TOLD, 5)
    counts = ("read", "applied", "stale", "duplicate", "ignored", "quarantined")
    assert found == {
        "raw-snapshot-id": "7",
        "max-src-ts": "2026",
        "epochs": "{}",
        "anything": "lakemirror.too",
        **dict.fromkeys(counts, 0),
        "resync": '{"_tx_epoch": 0, "_tx_log": null, "_tx_order": -1, "_tx_rank": 10}',
        "resync-removed": 5,
        "tombstones-snapshot-id": 7,
        "merged-by": "resync",
        "foreign-commits": "[5]",
        "invocation-id": "run-2",
    }


def test_what_goes_and_the_command():
    assert messages.resync_line("mirror_t", "mirror.t", TOLD, 2, ['{"id":1}', '{"id":2}']) == (
        FOUND + '2 rows of mirror.t are older and not in it, such as {"id":1} {"id":2}. '
        "They are removed by dbt run --select mirror_t --vars '{resync: apply}'"
    )


def test_nothing_goes():
    assert messages.resync_line("mirror_t", "mirror.t", TOLD, 0, []) == (
        FOUND + "0 rows of mirror.t are older and not in it"
    )


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ({"is_older": True}, "rebuild the mirror"),
        ({"has_end": False}, "the record that marks its end"),
        ({"has_begin": False}, "the record that marks its beginning"),
        ({"keyless": 2}, "2 rows of the newest full snapshot have no key"),
    ],
)
def test_what_is_not_proven_is_refused(found, problem):
    """Case 26."""
    assert problem in messages.snapshot_problem(WHOLE | found, "ops")


def test_a_whole_snapshot_has_no_problem():
    assert messages.snapshot_problem(WHOLE, "ops") is None
    assert "raw has no row of a full snapshot" in messages.snapshot_problem(None, "ops")
