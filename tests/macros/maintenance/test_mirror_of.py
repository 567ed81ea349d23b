from types import SimpleNamespace


def test_a_model_stands_for_a_table(macros):
    macros.context["api"] = SimpleNamespace(Relation=SimpleNamespace(create=dict))
    node = SimpleNamespace(schema="mirror", alias="shop__orders", name="mirror_shop__orders")
    there = {"schema": "mirror", "identifier": "shop__orders", "type": "table"}
    assert macros.mirror_of(node) == there
