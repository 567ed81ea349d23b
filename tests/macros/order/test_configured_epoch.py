def test_the_first_entry_that_fits_is_added(macros, sql):
    macros.vars["epochs"] = [
        {"log": "-80", "from": "2026-11-21 00:00:48", "epoch": 2},
        {"name": "it's", "log": "-40", "epoch": 1},
    ]
    assert sql(macros.configured_epoch("e.epoch", "e.shard")) == sql("""
        case
            when true and e.shard = '-80' and _src_ts >= timestamp '2026-11-21 00:00:48'
                then coalesce(e.epoch, 0L) + 2
            when true and event.source.name = 'it\\'s' and e.shard = '-40'
                then coalesce(e.epoch, 0L) + 1
            else e.epoch
        end
    """)


def test_without_entries_the_source_is_right(macros):
    assert macros.configured_epoch("e.epoch", "e.shard") == "e.epoch"


def test_a_wrong_entry_is_an_error(macros):
    macros.vars["epochs"] = [{"shard": "-80", "epoch": 2}]
    assert "has name, log, from and epoch, and not shard" in macros.error(
        "configured_epoch", "e", "s"
    )
    macros.vars["epochs"] = [{"log": "-80", "epoch": "2"}]
    assert "epoch is a whole number, and not 2" in macros.error("configured_epoch", "e", "s")
