"""Defaults of source columns, as statements and Connect schemas have them. Case 55."""

import pytest

from lakemirror.source import types
from lakemirror.source.defaults import DefaultError, sent_default, stated_default

MYSQL = types.settings_of({"connector": "mariadb"})


@pytest.mark.parametrize(
    ("data_type", "text", "value"),
    [
        ("varchar(9)", "basic", "basic"),
        ("varchar(9)", "it's", "it's"),
        ("char(2)", "", ""),
        ("text", "2020", "2020"),
        ("enum('a','b')", "a", "a"),
        ("bit(1)", "b'0'", "false"),
        ("bit(1)", "1", "true"),
        ("boolean", "TRUE", "true"),
        ("tinyint(1)", "true", "1"),
        ("bit(8)", "b'101'", "5"),
        ("int", "'7'", "7"),
        ("int", "1.5", "2"),
        ("int", "-2147483648", "-2147483648"),
        ("bigint", "9223372036854775807", "9223372036854775807"),
        ("bigint unsigned", "18446744073709551615", "18446744073709551615"),
        ("decimal(5,2)", "1.005", "1.01"),
        ("decimal(5,2)", "-1.005", "-1.01"),
        ("decimal(8,3)", "1.5", "1.500"),
        ("float", "1.5", "1.5"),
        ("double", "-1e300", "-1E+300"),
        ("date", "2020-02-03", "2020-02-03"),
        ("datetime(3)", "2020-02-03 04:05:06.500", "2020-02-03 04:05:06.500000"),
        ("time", "08:30:00", "30600000000"),
        ("time(1)", "-01:00:00.5", "-3600500000"),
        ("year", "2020", "2020"),
    ],
)
def test_stated(data_type, text, value):
    encoding = types.encoding(data_type, *MYSQL)
    assert stated_default(text, encoding, data_type) == {"lake": encoding.lake, "text": value}


@pytest.mark.parametrize(
    ("data_type", "text", "problem"),
    [
        ("varchar(36)", "uuid()", "is a function"),
        ("varchar(36)", "CURRENT_USER()", "is a function"),
        ("datetime", "CURRENT_TIMESTAMP", "is a function"),
        ("datetime", "current_timestamp(6)", "is a function"),
        ("datetime", "1970-01-01 00:00:00", "may stand for one"),
        ("timestamp", "2020-01-01 00:00:00", "time zone that is not known"),
        ("date", "0000-00-00", "is no date"),
        ("int", "nextval('s')", "is no int"),
        ("int", "2147483648", "is no int"),
        ("int", "", "is no int"),
        ("decimal(3,2)", "10", "is no decimal"),
        ("double", "nan", "is no double"),
        ("bit(1)", "2", "is no bit"),
        ("blob", "x", "are not read"),
    ],
)
def test_not_known(data_type, text, problem):
    with pytest.raises(DefaultError, match=problem):
        stated_default(text, types.encoding(data_type, *MYSQL), data_type)


@pytest.mark.parametrize(
    ("data_type", "text", "nullable", "connector", "is_known"),
    [
        ("int", "5", False, "postgresql", True),
        ("numeric(8,3)", "Bdw=", True, "postgresql", True),
        # nextval(), gen_random_uuid(), now(): PostgreSQL's connector says zero
        ("int", "0", False, "postgresql", False),
        ("int", "0", True, "postgresql", True),
        ("numeric(8,3)", "AA==", False, "postgresql", False),
        ("text", "", False, "postgresql", False),
        ("timestamptz", "1970-01-01T00:00:00.000000Z", False, "postgresql", False),
        ("timestamptz", "2020-01-01T00:00:00.000000Z", False, "postgresql", True),
        # MariaDB's says it of times alone
        ("int", "0", False, "mariadb", True),
        ("timestamp", "1970-01-01T00:00:00Z", False, "mariadb", False),
        ("date", "0", False, "mariadb", False),
        ("int[]", "[]", True, "postgresql", False),
    ],
)
def test_sent(data_type, text, nullable, connector, is_known):
    encoding = types.encoding(data_type, *types.settings_of({"connector": connector}))
    if is_known:
        found = sent_default(text, encoding, nullable, connector)
        assert found == {"json": encoding.json, "text": text}
    else:
        with pytest.raises(DefaultError):
            sent_default(text, encoding, nullable, connector)
