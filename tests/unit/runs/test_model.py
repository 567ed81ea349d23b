"""What dbt says of the model that a run is of."""

from types import SimpleNamespace

import pytest

from dbt.adapters.lakemirror.runs import model_of


def node(materialized, *mirrors, resource_type="model"):
    return SimpleNamespace(
        name="n",
        unique_id="model.p.n",
        schema="s",
        alias="n",
        config=SimpleNamespace(materialized=materialized, to_dict=dict),
        depends_on_nodes=mirrors,
        resource_type=resource_type,
    )


@pytest.mark.parametrize(
    ("nodes", "has_days"),
    [
        ([node("daily", "model.p.mirror_t")], True),
        ([node("daily", "model.p.mirror_u"), node("view", "model.p.mirror_t")], False),
        ([SimpleNamespace(resource_type="exposure")], False),
    ],
)
def test_a_mirror_that_a_daily_model_is_made_of(nodes, has_days):
    """F49: only such a mirror keeps what its days start from."""
    resolver = SimpleNamespace(nodes=dict(enumerate(nodes)))
    args = SimpleNamespace(event_time_start=None, event_time_end=None)
    adapter = SimpleNamespace(
        get_macro_resolver=lambda: resolver,
        config=SimpleNamespace(args=args),
        Relation=SimpleNamespace(create=lambda **given: "s.n"),
    )
    config = {"materialized": "mirror", "unique_key": "id", "pre-hook": [], "on_dorp": "keep"}
    context = {
        "model": {"name": "mirror_t", "unique_id": "model.p.mirror_t", "config": config},
        "this": SimpleNamespace(incorporate=lambda **given: "mirror.t"),
        "compiled_code": "select 1",
        "load_relation": lambda relation: None,
        "flags": SimpleNamespace(FULL_REFRESH=False),
        "invocation_id": "run-1",
        "var": {}.get,
        "ref": str,
    }
    found = model_of(adapter, context)
    assert found.has_days is has_days
    assert (found.kind, found.config) == ("mirror", {"unique_key": "id", "on_dorp": "keep"})
