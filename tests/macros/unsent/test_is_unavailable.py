import pytest


@pytest.fixture
def condition(macros, sql):
    def render(data_type, connector="postgresql"):
        macros.debezium = {"connector": connector}
        if connector == "postgresql":
            macros.debezium["unavailable.value.placeholder"] = "?"
        macros.columns = [{"name": "v", "data_type": data_type}]
        return sql(macros.is_unavailable("v", macros.declared()[0]))

    return render


def test_a_text_in_all_forms(condition):
    assert condition("text").startswith("event.op <> 'r' and v in ( '?', 'Pw==', '3f',")


@pytest.mark.parametrize("data_type", ["text[]", "bytea[]", "bigint[]"])
def test_a_list_in_all_forms(condition, data_type):
    assert condition(data_type).startswith("event.op <> 'r' and to_json(v) in ( '?', 'Pw==',")


def test_bytes(condition):
    assert "v = cast('?' as binary)" in condition("bytea")


@pytest.mark.parametrize("data_type", ["int", "date", "boolean", "double precision"])
def test_what_is_always_sent(condition, data_type):
    assert condition(data_type) == ""


def test_another_connector_sends_all(condition):
    assert condition("text", "mariadb") == ""
