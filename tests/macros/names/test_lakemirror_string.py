def test_quotes_and_backslashes_are_escaped(macros):
    assert macros.lakemirror_string("it's a \\ sign") == "'it\\'s a \\\\ sign'"
    assert macros.lakemirror_string(7) == "'7'"
