def test_the_schema_is_what_is_configured_or_the_targets(macros):
    assert macros.lakemirror__generate_schema_name("mirror", None) == "mirror"
    assert macros.lakemirror__generate_schema_name(None, None) == "default"
