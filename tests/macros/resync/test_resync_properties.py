from types import SimpleNamespace

SNAPSHOT = {"_tx_log": None, "_tx_epoch": 0, "_tx_rank": 10, "_tx_order": -1, "rows": 3}


def test_all_that_the_mirror_knows_goes_on(macros):
    """Case 82, but for the counts, which are the events that a commit has read."""
    macros.context["invocation_id"] = "run-2"
    summary = {
        "lakemirror.raw-snapshot-id": "7",
        "lakemirror.max-src-ts": "2026",
        "lakemirror.epochs": "{}",
        "lakemirror.anything": "lakemirror.too",
        "lakemirror.read": "9",
        "lakemirror.unguarded": "1",
        "lakemirror.invocation-id": "run-1",
        "total-records": "4",
    }
    found = macros.resync_properties(SimpleNamespace(summary=summary), SNAPSHOT, 5)
    counts = ("read", "applied", "stale", "duplicate", "ignored", "quarantined")
    assert found == {
        "raw-snapshot-id": "7",
        "max-src-ts": "2026",
        "epochs": "{}",
        "anything": "lakemirror.too",
        **dict.fromkeys(counts, 0),
        "resync": '{"_tx_epoch": 0, "_tx_log": null, "_tx_order": -1, "_tx_rank": 10}',
        "resync-removed": 5,
        "invocation-id": "run-2",
    }
