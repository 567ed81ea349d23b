from types import SimpleNamespace

import pytest


@pytest.mark.parametrize("had_to_be_made", [False, True])
def test_a_topic_without_a_record_is_told(macros, had_to_be_made):
    said = []
    macros.context["adapter"].await_raw = lambda raw: had_to_be_made
    macros.context["exceptions"] = SimpleNamespace(warn=said.append)
    macros.await_raw("raw.shop__orders", "mirror_shop__orders")
    assert [text.split(" yet.")[0] for text in said] == [
        "mirror_shop__orders: no record has landed in raw.shop__orders"
    ] * had_to_be_made
