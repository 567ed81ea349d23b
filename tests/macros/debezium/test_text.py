def test_quotes_and_backslashes_are_escaped(macros):
    assert macros.text("it's a \\ sign") == "'it\\'s a \\\\ sign'"
    assert macros.text(7) == "'7'"
