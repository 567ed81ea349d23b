from types import SimpleNamespace


def node(name, materialized="mirror"):
    return SimpleNamespace(name=name, config=SimpleNamespace(materialized=materialized))


def test_one_or_all(macros):
    nodes = {"b": node("b"), "a": node("a"), "c": node("c", "view")}
    macros.context["graph"] = SimpleNamespace(nodes=nodes)
    assert [n.name for n in macros.nodes_of("mirror", None, "prune")] == ["b", "a"]
    assert [n.name for n in macros.nodes_of("mirror", "a", "prune")] == ["a"]
    assert macros.error("nodes_of", "mirror", "c", "prune") == (
        "prune: c is no mirror of this project. There are: a, b"
    )
