from types import SimpleNamespace

import pytest


@pytest.fixture
def refuse(macros):
    def call(known=None, source_key=None, is_rebuild=False):
        macros.context["fromjson"] = lambda text: None if text == "null" else ["id"]
        macros.context["adapter"].changed_key = lambda raw, key: source_key
        summary = {"lakemirror.key": known} if known else {}
        batch = {"raw": "raw.o", "is_rebuild": is_rebuild}
        previous = SimpleNamespace(summary=summary)
        return batch | {"previous": previous}, ["part", "id"], "m"

    return call


def test_a_key_that_is_the_same(macros, refuse):
    for arguments in (refuse(), refuse(known='["id"]', is_rebuild=True)):
        assert macros.refuse_key(*arguments).strip() == ""


def test_a_key_that_has_changed(macros, refuse):
    """Case 61."""
    arguments = refuse(known='["id"]')
    assert macros.error("refuse_key", *arguments) == (
        "m: unique_key has changed: it was id and is part, id. Nothing was written. Rebuild the "
        "mirror from raw: dbt run --full-refresh --select m --vars '{allow_full_refresh: true}'"
    )
    arguments = refuse(source_key=["x"], is_rebuild=True)
    assert "the source has another key: it was part, id and is x." in macros.error(
        "refuse_key", *arguments
    )
