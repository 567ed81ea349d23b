"""The models that an operation is for."""

from types import SimpleNamespace

import pytest

from dbt.adapters.lakemirror.runs import project_of
from lakemirror.runs.project import Project, ProjectModel, chosen, no_such_model, settings_of


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


class Refusing:
    """A warehouse that an operation only refuses by."""

    def refuse(self, problem):
        raise RefusedError(problem)


def model(name, kind="mirror", **config):
    return ProjectModel(name, f"model.p.{name}", kind, f"m.{name}", config, ())


PROJECT = Project(
    [model("b"), model("a"), model("c", "view")], lambda relation: True, "run-1", "2026-01-01"
)


def names(given):
    return [each.name for each in chosen(Refusing(), PROJECT, "mirror", given, "prune")]


def test_one_or_all():
    assert names(None) == ["b", "a"]
    assert names("a") == ["a"]
    with pytest.raises(RefusedError) as refused:
        names("c")
    assert str(refused.value) == "prune: c is no mirror of this project. There are: a, b"


def test_all_has_to_be_said_where_tables_change():
    with pytest.raises(RefusedError) as refused:
        chosen(Refusing(), PROJECT, "mirror", None, "prune", may_be_all=False)
    assert str(refused.value) == (
        "prune: it changes tables, and needs a model, or all: true. dbt run-operation prune --args "
        "'{model: ..., dry_run: false}'. The models that are mirror: a, b"
    )
    [one] = chosen(Refusing(), PROJECT, "mirror", "a", "prune", may_be_all=False)
    assert one.name == "a"


def test_a_misspelt_model_is_guessed():
    assert no_such_model("prune", "orderz", "mirror", ["users", "orders"]) == (
        "prune: orderz is no mirror of this project; did you mean orders? There are: orders, users"
    )


def test_a_project_may_have_no_such_model():
    project = SimpleNamespace(of_kind=lambda kind: [])
    assert chosen(Refusing(), project, "daily", None, "prune_days") == []


def test_the_settings_of_a_model_are_read_or_refused():
    assert settings_of(Refusing(), model("a", unique_key="id")).key == ["id"]
    with pytest.raises(RefusedError) as refused:
        settings_of(Refusing(), model("a", unique_key="id", buckets=0, deletes="x"))
    assert str(refused.value) == (
        "a is not configured right:\n  - buckets: a number from 1 is expected, and not 0"
        "\n  - deletes: hard or soft is expected, and not x"
    )


@pytest.mark.parametrize("kind", ["mirror", "daily"])
def test_a_misspelt_setting_is_refused_by_operations_too(kind):
    """An operation would go by the default in its place; a setting of another kind of model in the
    same folder is none of its business."""
    given = {"unique_key": "id", "keep_days": 7, "tombstone_retention_days": 30}
    assert settings_of(Refusing(), model("a", kind, **given))
    with pytest.raises(RefusedError) as refused:
        settings_of(Refusing(), model("a", kind, **given, tombstone_retention_dayz=30))
    assert f"tombstone_retention_dayz: a {kind} has no such configuration" in str(refused.value)


class Table(dict):
    """A relation that has what it was made of, and prints as its name."""

    def __str__(self):
        return f"{self['schema']}.{self['identifier']}"


def test_a_model_stands_for_a_table():
    """By its schema and its alias, and not by its name; other nodes are no models."""
    node = SimpleNamespace(
        name="mirror_shop__orders",
        unique_id="model.p.mirror_shop__orders",
        resource_type="model",
        schema="mirror",
        alias="shop__orders",
        config=SimpleNamespace(
            materialized="mirror", to_dict=lambda: {"post-hook": [], "unique_key": "id"}
        ),
        depends_on_nodes=["model.p.stg_shop__orders"],
    )
    nodes = {"a": node, "b": SimpleNamespace(resource_type="test")}
    adapter = SimpleNamespace(
        Relation=SimpleNamespace(create=Table),
        get_macro_resolver=lambda: SimpleNamespace(nodes=nodes),
    )
    there = {"schema": "mirror", "identifier": "shop__orders", "type": "table"}
    context = {
        "load_relation": lambda relation: relation if relation == there else None,
        "invocation_id": "run-1",
        "run_started_at": "2026-01-01",
    }
    project = project_of(adapter, context)
    [found] = project.models
    assert (found.name, found.kind, found.relation) == (node.name, "mirror", there)
    assert found.config == {"unique_key": "id"}
    assert found.depends_on == ["model.p.stg_shop__orders"]
    assert str(found.relation) == "mirror.shop__orders"
    assert project.exists(there)
    assert not project.exists("mirror.u")
