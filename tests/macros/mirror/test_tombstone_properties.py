def test_pruning_rewrites_files(macros):
    properties = {"write.merge.mode": "merge-on-read", "a": "b"}
    found = macros.tombstone_properties(properties)
    assert found == {"write.merge.mode": "copy-on-write", "a": "b"}
    assert properties["write.merge.mode"] == "merge-on-read"
