from types import SimpleNamespace


def test_all_files(macros, sql):
    table = SimpleNamespace(schema="mirror", identifier="t")
    assert sql(macros.rewrite_sql(table)) == (
        "call system.rewrite_data_files( table => 'mirror.t', "
        "options => map('rewrite-all', 'true') )"
    )
