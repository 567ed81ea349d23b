def test_the_newest_run_of_each_model_counts(macros, sql):
    assert sql(macros.failing_models_sql(["success", "no-op"])) == (
        "select model from ops.runs group by model "
        "having max_by(status, started_at) not in ('success', 'no-op')"
    )
