"""The command line: what it takes, what it says of a mistake, and with which code it ends."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lakemirror.cli.main import app, main
from support.small_lake import raw_record, raw_table

COMMANDS = (
    "init",
    "generate",
    "doctor",
    "wait",
    "status",
    "report",
    "run",
    "show",
    "audit",
    "repair",
    "history",
    "rollback",
    "undo",
    "release",
    "maintain",
    "erase",
)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the script in an empty folder: its exit code, its output and its errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["lakemirror", *arguments])
        capsys.readouterr()
        code = main()
        return code, *capsys.readouterr()

    return run


def make_catalog(folder: Path, content: bytes = b"") -> None:
    (folder / "lake").mkdir()
    (folder / "lake/catalog.db").write_bytes(content)


def test_every_command_is_there():
    assert {command.name for command in app.registered_commands} == {*COMMANDS}


def test_the_version(call):
    """H9."""
    code, out, _ = call("--version")
    assert code == 0
    assert re.fullmatch(r"lakemirror \d+\.\d+\.\d+\n", out)


def test_without_a_command_there_is_help(call):
    code, out, _ = call()
    assert code == 2
    for word in (*COMMANDS, "LAKEMIRROR_LAKE", "NO_COLOR", "Exit codes"):
        assert word in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_sentences_and_examples(call, command):
    """H9."""
    code, out, error = call(command, "--help")
    assert (code, error) == (0, "")
    assert f"Examples:\n lakemirror {command}" in re.sub(r" +\n", "\n", out)
    for added in app.registered_commands:
        for paragraph in added.help.split("\n\n"):
            assert re.fullmatch(r"[A-Z].*[.]", paragraph)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["statsu"], "lakemirror: No such command 'statsu'"),
        (["doctr"], "Did you mean 'doctor'? See lakemirror --help"),
        (["wait", "--ds", "2026-01-01"], "lakemirror wait: Missing option '--source'"),
        (["wait", "--sorce", "shop"], "(Possible options: --source)"),
        (["wait", "--source", "s", "--ds", "1"], "'1' is no day such as 2026-01-31"),
        (
            ["wait", "--source", "s", "--ds", "2026-01-01", "--every", "1w"],
            "'1w' is no duration such as 90s, 15m, 2h or 1d",
        ),
        (["generate", "--source", "s", "--setting", "x"], "--setting x is not NAME=VALUE"),
        (["generate", "--source", "s", "--connector", "mssql"], "'mssql' is no connector"),
        (["generate", "--source", "s", "--connector", "mysq"], "did you mean mysql?"),
        (["generate", "--source", "A-b"], "'A-b' is not the name of a source"),
        (["init", "shop"], "give --recordings PATH, or --brokers HOST:PORT --topics REGEX"),
        (["init", "shop", "--topics", "x"], "give --recordings PATH, or --brokers"),
        (["wait", "--source", "s", "--ds", "2026-01-01", "--timeout", "9999999999d"], "too long"),
        (["wait", "--source", "s", "--ds", "9999-12-31"], "'9999-12-31' is no day that ends"),
        (["init", "1shop", "--recordings", "."], "'1shop' is no name of a dbt project"),
        (["maintain", "--select", "mirror_t"], "no model mirror_t is in the project"),
        (["maintain", "--budget", "15GiB"], "'15GiB' is no duration"),
        (["maintain", "--every", "15"], "'15' is no duration such as 90s, 15m, 2h or 1d"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_2(call, tmp_path, arguments, problem):
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    code, out, error = call(*arguments)
    assert (code, out) == (2, "")
    assert problem in error
    assert error.endswith((".\n", "?\n"))
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["generate", "--source", "shp"], "raw has no table of the source shp; did you mean shop"),
        (["generate", "--source", "shop", "--include", "ordres"], "did you mean orders"),
        (["generate", "--source", "shop", "--exclude", "*"], "the patterns leave no table"),
        (
            ["generate", "--source", "shop", "--setting", "decimal.handling.mode=strange"],
            "decimal.handling.mode is strange, and can be precise, string, double",
        ),
        (
            ["generate", "--source", "shop", "--setting", "money.fraction.digits=x"],
            "money.fraction.digits is x",
        ),
        (
            ["generate", "--source", "shop", "--connector", "mysql"],
            "the connector is given as mysql, and the events of raw.shop__orders are postgresql's",
        ),
        (["wait", "--source", "shp", "--ds", "2026-01-01"], "no source shp is in the project or"),
        (["show", "mirror.shop__ordres", "--key", "1"], "no mirror mirror.shop__ordres is in the"),
    ],
)
def test_a_wrong_name_in_a_lake_is_2(call, tmp_path, arguments, problem):
    """One rule: what the call names is not there, or its option cannot be."""
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    raw_table(tmp_path, [raw_record(1, id=1, paid="1.5")])
    code, out, error = call(*arguments)
    assert (code, out) == (2, "")
    assert problem in error
    assert error.count("\n") == 1


def test_what_the_project_says_wrongly_is_1(call, tmp_path):
    """The same connector and value in YAML: the call is right, and something is wrong."""
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    raw_table(tmp_path, [raw_record(1, id=1)])
    file = tmp_path / "models/staging/shop/_shop__sources.yml"
    file.parent.mkdir(parents=True)
    for debezium in ("{connector: mysql}", "{connector: postgresql, hstore.handling.mode: x}"):
        meta = f"config: {{meta: {{debezium: {debezium}}}}}"
        file.write_text(f"sources:\n  - name: shop\n    {meta}\n    tables: []\n")
        code, _, error = call("generate", "--source", "shop")
        assert (code, error.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    "arguments", [["generate", "--source", "s"], ["doctor"], ["status"], ["wait", "--source", "s"]]
)
def test_without_a_lake(call, tmp_path, arguments):
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    more = ["--ds", "2026-01-01"] if arguments[0] == "wait" else []
    code, out, error = call(*arguments, *more)
    assert (code, out) == (2, "")
    assert error.startswith(f"There is no lake in {tmp_path}/lake. Run it in the project's folder")


def test_without_a_project(call, tmp_path):
    make_catalog(tmp_path)
    code, _, error = call("generate", "--source", "shop")
    assert (code, error) == (
        2,
        "run it in the project, where dbt_project.yml is. Nothing was written.\n",
    )


@pytest.mark.parametrize(
    ("content", "why"), [(b"no database" * 99, "file is not a database"), (b"", "no such table")]
)
def test_a_catalog_that_cannot_be_read(call, tmp_path, content, why):
    make_catalog(tmp_path, content)
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    for arguments in (["status"], ["doctor"], ["generate", "--source", "s", "--connector=mysql"]):
        code, out, error = call(*arguments)
        assert (code, out) == (1, "")
        assert why in error
        assert error.count("\n") == 1


@pytest.mark.parametrize("text", ["a: [", "- a", "\ud800"])
def test_a_profile_that_cannot_be_read(call, tmp_path, text):
    (tmp_path / "profiles.yml").write_bytes(text.encode("utf-8", "surrogatepass"))
    code, _, error = call("status")
    assert (code, error.count("\n")) == (1, 1)
    assert error.startswith(f"{tmp_path}/profiles.yml cannot be read: ")


def test_a_file_of_the_lake_that_is_gone(call, tmp_path):
    """A catalog that names a table whose metadata nobody finds."""
    make_catalog(tmp_path)
    with sqlite3.connect(tmp_path / "lake/catalog.db") as catalog:
        catalog.execute(
            "create table iceberg_tables (catalog_name, table_namespace, table_name, "
            "metadata_location, previous_metadata_location, iceberg_type)"
        )
        catalog.execute(
            "create table iceberg_namespace_properties (catalog_name, namespace, property_key, "
            "property_value)"
        )
        row = ("lake", "mirror", "shop__orders", f"file://{tmp_path}/gone.json", None, "TABLE")
        catalog.execute("insert into iceberg_tables values (?, ?, ?, ?, ?, ?)", row)
    code, out, error = call("status")
    assert (code, error) == (1, "")
    assert "gone.json" in out


def test_help_waits_for_no_library():
    """Neither Spark, nor dbt, nor what reads a lake or a database: it is there at once."""
    code = (
        "import sys; from lakemirror.cli.main import main; sys.argv = ['lakemirror', '--help']; "
        "main(); print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    *text, modules = said.splitlines()
    assert "LAKEMIRROR_LAKE" in " ".join(text)
    assert "typer" in modules.split()
    assert {"dbt", "pyarrow", "pyiceberg", "pyspark", "sqlalchemy"} & {*modules.split()} == set()


def test_a_reader_that_goes_away_is_no_mistake():
    """As in `lakemirror --help | head -1`."""
    script = Path(sys.executable).with_name("lakemirror")
    command = f"{script} --help | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
