def test_events_that_cannot_be_used(macros, sql):
    assert sql(macros.bad_rows_problem(3, "mirror_o")) == (
        "3 events cannot be used, and on_bad_rows is fail. See them by "
        "`select reason, value from ops.quarantine where model = 'mirror_o'`."
    )


def test_columns_that_nobody_declares(macros):
    """F17: with the remedies."""
    problem, warning = macros.undeclared_problem("a, b"), macros.undeclared_warning("a, b", "m")
    assert ": a, b. Land the schema-change topic and run again" in problem
    assert "config.meta.ignored_columns" in problem
    assert "are lost: a, b. " in warning
    assert macros.rebuild_command("m") in warning


def test_the_line_of_a_run(macros, sql):
    counts = {"read": 9, "applied": 4, "stale": 1, "duplicate": 2, "ignored": 1, "quarantined": 1}
    line = "mirror_o: 9 read, 4 applied, 1 stale, 2 duplicate, 1 ignored, 1 quarantined"
    assert sql(macros.counts_line("mirror_o", counts | {"unguarded": 0})) == line
    assert sql(macros.counts_line("mirror_o", counts | {"unguarded": 2})) == f"{line}, 2 unguarded"


def test_rows_that_may_have_been_deleted(macros):
    """F06: with the command that makes it certain."""
    said = macros.unguarded_warning(2, "2026-01-13 00:00:00", "mirror_o")
    assert said.startswith("mirror_o: 2 new rows are from before 2026-01-13 00:00:00, whose")
    assert said.endswith(macros.rebuild_command("mirror_o"))
