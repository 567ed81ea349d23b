"""The files of a new project."""

import re

import pytest
import yaml

from lakemirror.cli.errors import CallError, CommandError
from lakemirror.cli.init import (
    Asked,
    InitError,
    check_name,
    make_project,
    project_files,
    run,
)
from lakemirror.cli.lakes import lake_properties
from support.lake import PROJECT


def test_a_project_says_what_is_landed_and_where_the_lake_is():
    made = project_files("shop", "/data/lake", brokers="a:9092,b:9092", topics=r"shop\.(o|p).*")
    landing = yaml.safe_load(made["models/landing/_landing__models.yml"])["models"][0]["config"]
    assert (landing["brokers"], landing["topics"]) == ("a:9092,b:9092", r"shop\.(o|p).*")
    assert landing["recordings"] == ""
    assert yaml.safe_load(made["profiles.yml"])["shop"]["outputs"]["local"]["lake"] == "/data/lake"
    project = yaml.safe_load(made["dbt_project.yml"])
    assert (project["name"], project["profile"], [*project["models"]]) == ("shop", "shop", ["shop"])


@pytest.mark.parametrize("catalog", ["jdbc", "rest"])
def test_a_catalog_that_others_share(tmp_path, catalog):
    """Its target is the default; what differs is the environment's; the lake stays a target."""
    made = project_files("shop", "./lake", "/recorded", catalog=catalog)
    make_project(tmp_path, made)
    given = {"LAKEMIRROR_CATALOG_URI": "jdbc:postgresql://h/db", "LAKEMIRROR_WAREHOUSE": "s3://b"}
    assert lake_properties(tmp_path, given) == {
        "type": catalog,
        "uri": "jdbc:postgresql://h/db",
        "warehouse": "s3://b",
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
    }
    login = {"LAKEMIRROR_CATALOG_USER": "me", "LAKEMIRROR_CATALOG_PASSWORD": "hush"}
    found = lake_properties(tmp_path, {**given, **login, "LAKEMIRROR_CATALOG_TYPE": "jdbc"})
    assert found["type"] == "jdbc"
    assert (found["jdbc.user"], found["jdbc.password"]) == ("me", "hush")
    local = lake_properties(tmp_path, {"DBT_TARGET": "local"})
    assert local["uri"].startswith("jdbc:sqlite:")
    with pytest.raises(CommandError, match="needs LAKEMIRROR_CATALOG_URI in the environment"):
        lake_properties(tmp_path, {})


@pytest.mark.parametrize(
    "path", ["models/landing/landing.py", "models/ops/landing_progress.sql", "lint/stubs.sql"]
)
def test_the_demo_is_such_a_project(path):
    assert project_files("shop", "lake")[path] == (PROJECT / path).read_text(encoding="utf-8")


def test_nothing_is_written_over(tmp_path):
    (tmp_path / "profiles.yml").write_text("mine")
    with pytest.raises(InitError, match=r"has profiles\.yml already\. Nothing was written"):
        make_project(tmp_path, project_files("shop", "lake"))
    assert [path.name for path in tmp_path.iterdir()] == ["profiles.yml"]


@pytest.mark.parametrize("name", ["Shop", "my-shop", "1shop", "", "../shop", "_shop", "shöp"])
def test_a_name_that_is_none(name):
    with pytest.raises(CallError, match="is no name of a dbt project"):
        check_name(name)


@pytest.mark.parametrize("name", ["dbt", "lakemirror"])
def test_a_name_that_is_taken(name):
    with pytest.raises(CallError, match="is the name of a package that every project has"):
        check_name(name)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with recordings whose names are no patterns and no templates."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "re [c] $x").mkdir()
    (tmp_path / "re [c] $x/shop.jsonl").write_text("")
    (tmp_path / "empty").mkdir()
    (tmp_path / "shop.csv").write_text("")
    return tmp_path


@pytest.mark.parametrize("recordings", ["re [c] $x", "re [c] $x/shop.jsonl", "empty"])
def test_recordings_are_where_they_are(folder, recordings):
    lines = run(folder, Asked("shop", "/my lake/$x", recordings=recordings))
    landing = yaml.safe_load((folder / "shop/models/landing/_landing__models.yml").read_text())
    assert landing["models"][0]["config"]["recordings"] == str(folder / recordings)
    assert lake_properties(folder / "shop", {})["warehouse"] == "/my lake/$x/warehouse"
    assert lines[-1] == "next: cd shop && dbt run --select landing"
    no_file = f"no file *.jsonl or *.jsonl.gz is in {folder}/empty yet"
    assert (no_file in lines) is (recordings == "empty")


def test_recordings_that_a_file_system_of_hadoops_has(folder):
    run(folder, Asked("shop", recordings="s3a://bucket/shop/"))
    landing = yaml.safe_load((folder / "shop/models/landing/_landing__models.yml").read_text())
    assert landing["models"][0]["config"]["recordings"] == "s3a://bucket/shop/"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, "give --recordings PATH, or --brokers"),
        ({"recordings": "empty", "brokers": "a:1", "topics": "x"}, "and not both"),
        ({"brokers": "a:1"}, "give --recordings PATH, or --brokers"),
        ({"recordings": "nothere"}, "there is no nothere"),
        ({"recordings": "shop.csv"}, "shop.csv is no file"),
        ({"brokers": "localhost", "topics": "x"}, "the broker 'localhost' is not HOST:PORT"),
        ({"brokers": "a:1,b", "topics": "x"}, "the broker 'b' is not HOST:PORT"),
        ({"brokers": "a:1", "topics": "("}, "is no regular expression"),
    ],
)
def test_what_cannot_be_landed_is_told_at_once(folder, given, problem):
    with pytest.raises(CallError, match=problem):
        run(folder, Asked("shop", **given))
    assert not (folder / "shop").exists()


def test_a_folder_that_cannot_be_written(folder):
    (folder / "shop").write_text("a file")
    with pytest.raises(InitError, match="shop cannot be written: File exists"):
        run(folder, Asked("shop", recordings="empty"))


def test_a_folder_with_other_files_is_taken(folder):
    (folder / "shop").mkdir()
    (folder / "shop/notes.txt").write_text("mine")
    run(folder, Asked("shop", recordings="empty"))
    assert (folder / "shop/notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("answers", "landed"),
    [
        (["empty"], ("empty", "", "")),
        (["", "a:1,b:2", "shop.*"], ("", "a:1,b:2", "shop.*")),
    ],
)
def test_a_person_is_asked_for_what_is_left_out(folder, answers, landed):
    left = [*answers]
    run(folder, Asked("shop"), lambda question: left.pop(0))
    assert left == []
    landing = yaml.safe_load((folder / "shop/models/landing/_landing__models.yml").read_text())
    config = landing["models"][0]["config"]
    recordings, *kafka = landed
    assert config["recordings"] == (str(folder / recordings) if recordings else "")
    assert [config["brokers"], config["topics"]] == kafka


@pytest.mark.parametrize(
    ("topics", "prefixes"),
    [
        (r"shop\..*", ["shop"]),
        ("shop[.].*", ["shop"]),
        ("shop.*", []),
        ("shop([.].*)?", []),
        (r"(a|b)\..*", []),  # nobody can tell without the broker: a landing does
        (r"a\..*|b[.].+|c([.].*)?", ["a", "b"]),
        (r"shop\.shop\.orders", []),
    ],
)
def test_a_pattern_without_the_schema_changes_is_told(tmp_path, topics, prefixes):
    lines = run(tmp_path, Asked("shop", brokers="a:1", topics=topics))
    said = [line for line in lines if line.startswith("--topics does not match the topic")]
    assert [line.split()[6].rstrip(",") for line in said] == prefixes
    for prefix in prefixes:
        wanted = f"{prefix}([.].*)?"
        assert any(f": {wanted} matches it" in line for line in said)
        assert re.fullmatch(wanted, prefix)
        assert re.fullmatch(wanted, f"{prefix}.shop.orders")
