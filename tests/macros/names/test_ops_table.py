def test_a_table_of_ops_is_of_the_targets_environment(macros):
    assert macros.ops_table("runs") == "ops.runs"
    macros.target.schema_prefix = "dev_"
    assert macros.ops_table("runs") == "dev_ops.runs"
