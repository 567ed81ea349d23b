"""URLs of databases that cannot be used: each in a sentence, without its secrets."""

import pytest

from lakemirror.source.database import DatabaseError, masked, read_tables, url_of

PORT = 1  # nobody listens there


@pytest.mark.parametrize(
    ("url", "connector", "problem"),
    [
        ("mysql://u:p@h-7x@host/db", "mysql", "write these as %40 and %2F"),
        ("mysql://u/1:h-7x@host/db", "mysql", "write these as %40 and %2F"),
        ("postgresql://u:h-7x@w@host/db", "postgresql", "write these as %40 and %2F"),
        (f"mysql://u:h-7x@127.0.0.1:{PORT}/db", "mysql", "Can't connect to MySQL server"),
        (f"mysql://u:h-7x@127.0.0.1:{PORT}/db?useSSL=false", "mysql", "option useSSL;"),
        (f"mysql://u:h-7x@127.0.0.1:{PORT}/db?sslmode=h-7x", "mysql", "option sslmode;"),
        (f"mysql://u:h-7x@127.0.0.1:{PORT}/db?ssl=true", "mysql", "option ssl;"),
        ("h-7x", "mysql", "it is no URL of a database, such as"),
    ],
)
def test_a_url_that_cannot_be_used(url, connector, problem):
    """B13, B14."""
    with pytest.raises(DatabaseError) as raised:
        read_tables(url, ["db"], connector)
    said = str(raised.value)
    assert problem in said
    assert "h-7x" not in said
    assert url not in said


def test_what_stands_before_the_host_is_in_no_error():
    given = "mysql://reader:h%40sh-7@host/db?ssl_key=k%31ey"
    text = f"no {given}; (reader:h%40sh-7) has h@sh-7\n and k1ey."
    assert masked(text, given, url_of(given, "mysql")) == "no ***; (***) has *** and ***"
