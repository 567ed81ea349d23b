"""One catalog, by Iceberg's names, as PyIceberg calls it."""

import doctest

import pytest

from lakemirror import lake
from lakemirror.lake import CatalogError, catalog_file, catalog_of, embedded, pyiceberg_properties


def test_rest():
    given = {"type": "rest", "uri": "https://x", "token": "t", "io-impl": "org.apache.S3FileIO"}
    assert pyiceberg_properties(catalog_of(given, {})) == {
        "type": "rest",
        "uri": "https://x",
        "token": "t",
    }


@pytest.mark.parametrize(
    ("uri", "url"),
    [
        ("jdbc:postgresql://h:5432/db", "postgresql+psycopg://me:p%40%2F%3A@h:5432/db"),
        ("jdbc:mysql://h/db?useSSL=true", "mysql+pymysql://me:p%40%2F%3A@h/db?useSSL=true"),
    ],
)
def test_jdbc(uri, url):
    given = {"catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog", "uri": uri, "warehouse": "/w"}
    login = {"jdbc.user": "me", "jdbc.password": "p@/:", "jdbc.schema-version": "V1"}
    assert pyiceberg_properties(catalog_of(given | login, {})) == {
        "type": "sql",
        "uri": url,
        "warehouse": "/w",
        "init_catalog_tables": "false",
    }


@pytest.mark.parametrize("name", ["lake", "my #1 lake?"])
def test_an_embedded_one(tmp_path, name):
    path = tmp_path / name
    assert catalog_file(embedded(path)) == path / "catalog.db"
    assert pyiceberg_properties(embedded(path))["uri"] == f"sqlite:///{path}/catalog.db"


def test_examples():
    assert doctest.testmod(lake).failed == 0


@pytest.mark.parametrize(
    "given",
    [
        {"catalog-impl": "org.projectnessie.Nessie", "uri": "x"},
        {"type": "jdbc", "uri": "jdbc:oracle:thin:@x"},
    ],
)
def test_what_nothing_reads_without_spark(given):
    with pytest.raises(CatalogError, match=r"without Spark, nothing reads one o[fn]"):
        pyiceberg_properties(catalog_of(given, {}))
