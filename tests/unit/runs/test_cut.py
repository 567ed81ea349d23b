"""Which mirrors a cut is of, when it is due, and how its snapshots are kept."""

import json
from types import SimpleNamespace

import pytest

from lakemirror.runs import cut
from lakemirror.runs.cut import CutRun, Part
from lakemirror.runs.project import ProjectModel
from lakemirror.runs.settings import CutSettings
from lakemirror.state.window import BOOKMARK

TIME = "2026-01-31 12:00:00.5"
MARK = "/* at_cut(m.t, stg, ops.watermark_shop) */"


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


class Recording:
    """A warehouse that keeps its statements, and answers a query by a word in it."""

    def __init__(self, **answers):
        self.answers, self.statements = answers, []

    def metadata(self, relation):
        return None

    def rows(self, query):
        return next(rows for word, rows in self.answers.items() if word in query)

    def run(self, statement):
        self.statements.append(statement)

    retry = run

    def sql(self, macro, *arguments):
        return f"{macro} {arguments}"

    def refuse(self, problem):
        raise RefusedError(problem)


class Relation(SimpleNamespace):
    """A relation that prints as its name, and makes others."""

    def __str__(self):
        return f"{self.schema}.{self.identifier}"

    def create(self, schema, identifier, **_):
        return Relation(schema=schema, identifier=identifier)


def heard(until=TIME, watermarks='["ops.watermark_shop"]'):
    return [{"watermarks": watermarks, "heard_from": "2026-01-30", "complete_until": until}]


def mirror(name, **config):
    relation = Relation(schema="m", identifier=name)
    return ProjectModel(name, f"model.shop.{name}", "mirror", relation, config, [])


def model(sql=f"with stg as (select 1) select 1 from stg {MARK}", existing=None):
    return SimpleNamespace(
        name="cut",
        sql=sql,
        target=Relation(schema="ops", identifier="consistent_cut"),
        existing=existing,
        invocation_id="01234567-89",
        ref=lambda name: f"ops.{name}",
        mirrors=lambda: {
            "m.t": mirror("t", unique_key="id"),
            "m.u": mirror("u", unique_key="id"),
            "m.wrong": mirror("wrong", unique_key="id", deletes="none"),
        },
    )


def run(warehouse, **given):
    return CutRun(warehouse, model(**given), CutSettings())


def refused(**given):
    with pytest.raises(RefusedError) as raised:
        run(Recording(cut_time_sql=heard()), **given)
    return str(raised.value)


def test_the_mirrors_of_a_cut():
    found = run(Recording(cut_time_sql=heard()))
    assert (found.mirrors, found.keys["m.t"]) == ({"m.t": "stg"}, ["id"])
    assert refused(sql=MARK.replace("m.t", "m.v")) == "cut: m.v is no mirror"
    assert "a cut is made of at_cut" in refused(sql="select 1")


def test_a_mirror_that_is_not_configured_right():
    """It is named with its problem by the cut that it is of; others do not know it."""
    expected = "wrong is not configured right:\n  - deletes: hard or soft is expected, and not none"
    assert refused(sql=MARK.replace("m.t", "m.wrong")) == expected


def test_a_source_that_nobody_hears():
    with pytest.raises(RefusedError, match=r"ops\.watermark_shop has no row"):
        run(Recording(cut_time_sql=heard(watermarks='["ops.watermark_till"]')))


@pytest.mark.parametrize(
    ("until", "mirror", "known", "expected"),
    [
        (TIME, "m.t", TIME, False),
        (TIME, "m.t", "2026-01-31 11:00:00", True),
        (TIME, "m.u", TIME, True),
        (None, "m.t", TIME, False),
    ],
)
def test_when_a_cut_is_due(until, mirror, known, expected):
    row = {"mirror": mirror, "complete_until": known, "known_from": None}
    warehouse = Recording(cut_time_sql=heard(until), **{"from ops.consistent_cut": [row]})
    assert run(warehouse, existing="ops.consistent_cut").is_due is expected


def test_a_first_cut_is_made_once_its_sources_are_complete():
    warehouse = Recording(cut_time_sql=heard(None))
    assert run(warehouse).apply() is None
    [made] = warehouse.statements
    assert made.startswith("create_table_sql")


class States:
    """The states of a mirror that is known from a time on, and whose snapshot is 7."""

    known = "2026-01-30"

    def __init__(self, *_):
        pass

    def known_from(self, heard_from, told):
        return self.known

    def at(self, times):
        return times

    def snapshot_of(self, state):
        return 7


@pytest.fixture
def states(monkeypatch):
    monkeypatch.setattr(cut, "States", States)


def merged(head="5"):
    """A warehouse with a mirror that has one commit, or none."""
    summary = json.dumps({BOOKMARK: "1", cut.RAW_TABLE: "raw.t"})
    answers = {
        "show tblproperties": [("current-snapshot-id", head)],
        ".snapshots": [(5, None, "append", summary)],
    }
    return Recording(cut_time_sql=heard(), **answers)


@pytest.mark.usefixtures("states")
def test_a_tag_names_its_time():
    warehouse = merged()
    assert run(warehouse).cut("m.t", "stg", TIME) == Part("m.t", 7, TIME, "2026-01-30")
    tag = "`lakemirror_cut_2026_01_31_12_00_00_5_01234567`"
    assert warehouse.statements == [
        f"alter table m.t create or replace tag {tag} as of version 7 retain 7 days"
    ]


@pytest.mark.usefixtures("states")
def test_a_cut_is_written_at_once():
    """One commit: a reader finds all snapshots of one time."""
    warehouse = merged()
    both = f"{MARK} {MARK.replace('m.t', 'm.u')}"
    found = run(warehouse, sql=both)
    assert found.apply() == {"message": f"cut at {TIME}", "merged_by": "snapshots"}
    assert warehouse.statements[-1] == (
        "insert overwrite ops.consistent_cut values "
        f"('m.t', 7, timestamp '{TIME}', timestamp '2026-01-30'), "
        f"('m.u', 7, timestamp '{TIME}', timestamp '2026-01-30')"
    )


@pytest.mark.usefixtures("states")
def test_a_cut_waits_until_its_mirrors_are_known(monkeypatch):
    monkeypatch.setattr(States, "known", "2026-02-01")
    with pytest.raises(RefusedError, match=r"m\.t is known from 2026-02-01 on, and the sources"):
        run(merged()).cut("m.t", "stg", TIME)


def test_a_mirror_without_a_commit_has_no_cut():
    with pytest.raises(RefusedError, match=r"m\.t has merged nothing yet"):
        run(merged("none")).cut("m.t", "stg", TIME)
