from types import SimpleNamespace


def test_stands_beside_the_mirror(macros):
    mirror = SimpleNamespace(identifier="shop__orders", incorporate=dict)
    assert macros.tombstones_of(mirror) == {"path": {"identifier": "shop__orders__tombstones"}}
