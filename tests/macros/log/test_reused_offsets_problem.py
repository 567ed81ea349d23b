def test_what_to_do_is_said(macros):
    said = macros.reused_offsets_problem(3, "raw.v")
    assert said.startswith("3 records of raw.v have the Kafka coordinates of other records in the")
    assert said.endswith("a source of its own in the var topic_sources, and a log of its own.")
