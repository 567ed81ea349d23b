def test_the_schema_is_what_is_configured_or_the_targets(macros):
    assert macros.lakemirror__generate_schema_name("mirror", None) == "mirror"
    assert macros.lakemirror__generate_schema_name(None, None) == "default"


def test_a_configured_schema_gets_the_prefix_and_the_targets_own_does_not(macros):
    macros.target.schema_prefix = "dev_"
    assert macros.lakemirror__generate_schema_name("mirror", None) == "dev_mirror"
    assert macros.lakemirror__generate_schema_name(None, None) == "default"
