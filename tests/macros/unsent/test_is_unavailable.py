import pytest


def test_a_text_in_all_forms(macros, sql):
    condition = sql(macros.is_unavailable("v", "text"))
    assert condition.startswith("event.op <> 'r' and v in ( '?', 'Pw==', '3f',")


def test_bytes(macros):
    assert "v = cast('?' as binary)" in macros.is_unavailable("v", "varbinary(9)")


@pytest.mark.parametrize("data_type", ["int", "date", "boolean", "decimal(10,2)"])
def test_what_is_always_sent(macros, data_type):
    assert macros.is_unavailable("v", data_type) == ""
