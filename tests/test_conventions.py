"""The house style as far as a program can check it, over the manifest of the project."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import pytest
from dbt.cli.main import dbtRunner
from dbt_common.clients.jinja import get_environment
from lint.figures import ACTING_METHODS, ACTS

PROJECT = Path(__file__).parents[1]
PACKAGES = ("coffee_shop", "lakemirror")  # the demo, and what the adapter brings
MATERIALIZED = {"staging": "ephemeral", "mirror": "mirror", "daily": "daily"}
NAMES = {
    "staging": r"stg_{folder}__[a-z0-9_]+",
    "mirror": r"mirror_{folder}__[a-z0-9_]+",
    "daily": r"daily_{folder}__[a-z0-9_]+",
    "marts": r"(fct|dim)_[a-z0-9_]+",
}
QUERIES = {f"macro.dbt.{name}" for name in ACTS}

# a table by its name in the plain environment; raw and stage are names of rows, too
PLAIN_NAME = re.compile(
    r"(?<![\w.'}])(?:ops\.(?=[a-z`]|$)|(?:raw|stage)\.(?=`|\w+__|schema_history)|^(?:raw|stage)\.$)",
    re.MULTILINE,
)
SHOWN = ("care.py", "main.py", "types_page.py")

Node = dict[str, Any]


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Node:
    """What dbt reads in the project: a warning is an error."""
    target = tmp_path_factory.mktemp("target")
    folders = {
        "--project-dir": PROJECT,
        "--profiles-dir": PROJECT / "profiles",
        "--target-path": target,
        "--log-path": target,
    }
    options = [str(part) for option in folders.items() for part in option]
    result = dbtRunner().invoke(["--warn-error", "--no-partial-parse", "parse", *options])
    assert result.success, result.exception
    return json.loads((target / "manifest.json").read_text(encoding="utf-8"))


def own(manifest: Node, *kinds: str) -> list[Node]:
    """The project's own nodes of these resource types."""
    collections = ("nodes", "sources", "macros", "exposures", "unit_tests")
    everything = [node for name in collections for node in manifest[name].values()]
    return [n for n in everything if n["resource_type"] in kinds and n["package_name"] in PACKAGES]


def layer_of(model: Node) -> tuple[str, str]:
    """models/mirror/shop/… is in the layer mirror and there in the folder shop."""
    _, layer, *folders = Path(model["original_file_path"]).parent.parts
    return layer, "/".join(folders)


def models(manifest: Node, *layers: str) -> list[Node]:
    return [m for m in own(manifest, "model") if layer_of(m)[0] in layers]


def plain_name(macro: Node) -> str:
    """A macro's name as its file has it, without what dbt adds for a materialization or a test."""
    return re.sub(r"^materialization_(\w+)_lakemirror$|^test_(\w+)$", r"\1\2", macro["name"])


def signature(macro: Node) -> list[str]:
    [parsed] = get_environment().parse(macro["macro_sql"]).find_all(jinja2.nodes.Macro)
    return [argument.name for argument in parsed.args]


def acts(macro: Node, manifest: Node) -> bool:
    """Whether a macro, or one that it calls, runs a query, or opens the door to a run."""
    called = macro["depends_on"]["macros"]
    macros = manifest["macros"]
    return (
        bool(re.search(rf"adapter\.({'|'.join(ACTING_METHODS)})\b", macro["macro_sql"]))
        or bool(QUERIES & {*called})
        or any(acts(macros[c], manifest) for c in called if macros[c]["package_name"] in PACKAGES)
    )


def unique_columns(manifest: Node, node: Node) -> Iterator[set[str]]:
    """The columns that each uniqueness test of a node says are its key."""
    for test in own(manifest, "test"):
        metadata = test.get("test_metadata") or {}
        if test["attached_node"] == node["unique_id"]:
            if metadata["name"] == "unique":
                yield {test["column_name"]}
            elif metadata["name"] == "unique_combination":
                yield set(metadata["kwargs"]["columns"])


def key_of(model: Node) -> set[str]:
    key = model["config"]["unique_key"] or []
    return {key} if isinstance(key, str) else set(key)


def texts(path: Path) -> Iterator[str]:
    """The texts of a module, without those that say what something is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def test_schemas_follow_the_target() -> None:
    """No statement and no message names a schema of the plain environment: see docs/guides/
    environments.md. Help of a command may."""
    code = {p: "\n".join(texts(p)) for p in (PROJECT / "src").rglob("*.py") if p.name not in SHOWN}
    code |= {p: p.read_text(encoding="utf-8") for p in (PROJECT / "macros").rglob("*.sql")}
    found = {path.name: PLAIN_NAME.findall(text) for path, text in code.items()}
    assert {name: names for name, names in found.items() if names} == {}


def test_everything_is_described(manifest: Node) -> None:
    """CONTRIBUTING: the docs site explains each thing that it lists."""
    kinds = ("model", "seed", "snapshot", "source", "exposure", "unit_test", "macro")
    described = own(manifest, *kinds)
    assert {n["resource_type"] for n in described} >= {*kinds} - {"seed"}
    assert [n["unique_id"] for n in described if not (n["description"] or "").strip()] == []
    sources = own(manifest, "source")
    assert [s["source_name"] for s in sources if not s["source_description"].strip()] == []


def test_arguments_of_macros_are_documented(manifest: Node) -> None:
    """The YAML has the signature's arguments in their order, each with a type and a description.

    Generic tests and materializations have none in YAML: dbt takes them for a mistake.
    """
    macros = {m["name"]: m for m in own(manifest, "macro") if plain_name(m) == m["name"]}
    documented = {name: [a["name"] for a in m["arguments"]] for name, m in macros.items()}
    assert documented == {name: signature(m) for name, m in macros.items()}
    assert [
        f"{name}({argument['name']})"
        for name, macro in macros.items()
        for argument in macro["arguments"]
        if not (argument["type"] and (argument["description"] or "").strip())
    ] == []


def test_a_file_has_one_macro_of_its_name(manifest: Node) -> None:
    """And its folder's YAML documents it."""
    macros = own(manifest, "macro")
    folder = PROJECT / "macros"
    assert sorted(m["original_file_path"] for m in macros) == sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*.sql")
    )
    for macro in macros:
        file = Path(macro["original_file_path"])
        assert file.stem == plain_name(macro)
        assert macro["patch_path"] == f"lakemirror://{file.parent}/_{file.parent.name}__macros.yml"


def test_no_macro_is_taken_for_a_variable_of_dbt(manifest: Node) -> None:
    """In dbt's macros a name that is not set on some branch would be a macro of ours."""
    environment = get_environment()
    dbts = [m for m in manifest["macros"].values() if m["package_name"] not in PACKAGES]
    unset = {
        name
        for macro in dbts
        for name in jinja2.meta.find_undeclared_variables(environment.parse(macro["macro_sql"]))
    }
    assert "query_columns" in unset  # of dbt's snapshots, before there is a table
    replaced = {m["name"] for m in dbts}
    assert {m["name"] for m in own(manifest, "macro")} & unset - replaced == set()


def test_expressions_have_render_tests(manifest: Node) -> None:
    """A macro that runs no query is rendered in tests/macros, by itself or in one that calls it.

    What dbt itself calls of the adapter's (macros/adapter) is proven on Spark, in test_adapter.
    """
    tests = "".join(p.read_text(encoding="utf-8") for p in (PROJECT / "tests/macros").rglob("*.py"))
    rendered = set(re.findall(r"macros\.(?:error\(\s*\"(\w+)\"|(\w+)\()", tests))
    names = {name for pair in rendered for name in pair}
    macros = {m["name"]: m for m in own(manifest, "macro")}
    reached = [*names & macros.keys()]
    for name in reached:  # which grows meanwhile
        called = {c.rpartition(".")[2] for c in macros[name]["depends_on"]["macros"]}
        reached += called & macros.keys() - {*reached}
    expressions = [
        m["name"]
        for m in own(manifest, "macro")
        if m["name"] == plain_name(m)
        and not acts(m, manifest)
        and not m["original_file_path"].startswith("adapter/")
    ]
    assert sorted({*expressions} - {*reached}) == []


def test_models_are_named_and_built_as_their_layer(manifest: Node) -> None:
    """stg_shop__orders is ephemeral, mirror_shop__orders a mirror with a key, and so on."""
    found = models(manifest, *NAMES)
    assert {layer_of(m)[0] for m in found} == {*NAMES}
    for model in found:
        layer, folder = layer_of(model)
        assert re.fullmatch(NAMES[layer].format(folder=folder), model["name"]), model["name"]
        materialized = MATERIALIZED.get(layer, "table")
        assert model["config"]["materialized"] == materialized, model["name"]
        assert key_of(model) or layer not in ("mirror", "daily"), model["name"]


def test_tables_have_a_test_of_their_key(manifest: Node) -> None:
    """A mirror's key is unique, and so is a day's with `ds`; a mart has a key."""
    untested = []
    for model in models(manifest, "mirror", "daily", "marts", "ops"):
        layer, _ = layer_of(model)
        key = key_of(model) | ({"ds"} if layer == "daily" else set())
        tested = [*unique_columns(manifest, model)]
        if not (key in tested if key else tested):
            untested.append(model["name"])
    assert untested == []


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        ("mirror", "columns_of_source"),
        ("mirror", "no_open_quarantine"),
        ("daily", "days_are_published"),
    ],
)
def test_what_may_be_behind_is_tested(manifest: Node, layer: str, name: str) -> None:
    """Cases 54, 69: a table that has not followed its source does not stay unseen."""
    tested = {
        test["attached_node"]
        for test in own(manifest, "test")
        if (test.get("test_metadata") or {}).get("name") == name
    }
    found = {m["unique_id"] for m in models(manifest, layer)}
    assert found
    assert found - tested == set()


def test_sources_have_freshness(manifest: Node) -> None:
    """H12: `dbt source freshness` looks at every source, by its own watermark."""
    sources = own(manifest, "source")
    limits = {
        s["unique_id"]: (s["freshness"] or {}).get("warn_after") or {"count": None} for s in sources
    }
    assert [name for name, limit in limits.items() if not limit["count"]] == []
    queries = {s["unique_id"]: s["loaded_at_query"] for s in sources}
    own_watermarks = {
        s["unique_id"]: f"{{{{ complete_until('watermark_{s['source_name']}') }}}}" for s in sources
    }
    assert queries == own_watermarks


def test_the_readme_is_short_and_runs() -> None:
    """At most 150 lines; the targets and the files that it names are there."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) <= 150
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"(?:^ *|`)make ([a-z-]+)", readme, re.MULTILINE))
    assert "run" in commands
    assert commands <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    paths = re.findall(r"`((?:docs|macros|models|profiles|src|tests)/[\w./-]*)`", readme)
    assert [path for path in paths if not (PROJECT / path).exists()] == []
