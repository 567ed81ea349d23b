def test_what_a_mirror_does_not_keep(macros):
    names = ["id", "_undecodable", "_undeclared", "_op", "_src_snapshot"]
    kept = macros.mirrored_columns([{"name": name} for name in names])
    assert [column["name"] for column in kept] == ["id", "_op"]
