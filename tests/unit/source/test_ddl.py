"""What a MariaDB statement gives rows that are there; what it does not say is not guessed."""

import pytest

from lakemirror.source.ddl import added_at, added_now


@pytest.mark.parametrize(
    ("ddl", "expected"),
    [
        (
            "ALTER TABLE s.t ADD COLUMN IF NOT EXISTS c TIMESTAMP NOT NULL DEFAULT NOW() AFTER x",
            "c",
        ),
        ("alter table t add `C``c` timestamp(0) null default (current_timestamp(0)) first", "c`c"),
        (
            "alter table t add c timestamp default current_timestamp on update current_timestamp",
            "c",
        ),
        ("alter table t add a int, add b timestamp default localtimestamp, lock=none", "b"),
        ("alter table t add c timestamp(6) default current_timestamp(6)", None),
        ("alter table t add c timestamp default (current_timestamp - interval 1 day)", None),
        ("alter table t add c datetime default current_timestamp", None),
        ("alter table t add c timestamp default '2026-01-01' comment 'or current_timestamp'", None),
        ("alter table t modify c timestamp default current_timestamp", None),
        ("alter table t alter c set default current_timestamp", None),
        ("create table t (c timestamp default current_timestamp)", None),
        ("alter table t add c timestamp default 'current_timestamp", None),
        ("not a statement; timestamp", None),
    ],
)
def test_what_a_statement_adds(ddl, expected):
    assert added_now(ddl) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("connector", "milliseconds", "expected"),
    [
        ("mariadb", 1767225600000, {"c": "CURRENT_TIMESTAMP at 2026-01-01 00:00:00+00:00"}),
        ("mariadb", 1767225600123, {}),
        ("mariadb", None, {}),
        ("mysql", 1767225600000, {}),
    ],
)
def test_the_time_of_a_statement(connector, milliseconds, expected):
    """MySQL's connector gives the time of the commit where the server tells it."""
    ddl = "alter table t add c timestamp default current_timestamp"
    source = {"connector": connector, "ts_ms": milliseconds}
    assert added_at({"ddl": ddl, "source": source}) == expected
    assert added_at({"source": source}) == {}
