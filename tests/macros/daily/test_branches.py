"""Days that are branches of their mirror."""

MARK = "/* midnight(m.t, stg) */"


def test_a_view_of_all_days(macros, sql):
    days = [{"ds": f"2026-01-0{n}", "branch": f"ds_2026_01_0{n}"} for n in (1, 2)]
    assert sql(macros.days_of_sql("m.t", ["id"], days)) == (
        "select `id`, date '2026-01-01' as ds from m.t version as of 'ds_2026_01_01' union all "
        "select `id`, date '2026-01-02' as ds from m.t version as of 'ds_2026_01_02'"
    )
    none = sql(macros.days_of_sql("m.t", [], []))
    assert none == "select *, cast(null as date) as ds from m.t where false"


def test_a_branch_has_the_rows_of_the_mirror(macros):
    """A model that says more than that is refused."""
    plain = f"with stg as (select 1) select * from m.t {MARK}\n"
    macros.refuse_layout(None, "branch", plain, "daily_t")
    for sql in (
        f"{plain} where id > 1",
        f"select id from m.t {MARK}",
        f"select * from (m.t {MARK})",
    ):
        macros.refuse_layout(None, "copy", sql, "daily_t")
        assert "can only be select *" in macros.error(
            "refuse_layout", None, "branch", sql, "daily_t"
        )


def test_days_stay_what_they_are(macros):
    macros.context["run_query"] = lambda query: Table(["id", "ds"])
    plain = f"select * from m.t {MARK}"
    macros.refuse_layout("daily.t", "copy", plain, "daily_t")
    assert "the other way" in macros.error("refuse_layout", "daily.t", "branch", plain, "daily_t")
    macros.context["run_query"] = lambda query: Table(["branch", "snapshot_id", "ds"])
    macros.refuse_layout("daily.t", "branch", plain, "daily_t")
    assert "the other way" in macros.error("refuse_layout", "daily.t", "copy", plain, "daily_t")


def test_the_columns_of_a_daily_table(macros):
    columns = [{"name": "id", "data_type": "bigint"}]
    assert macros.days_columns(columns, "copy") == columns
    names = [column["name"] for column in macros.days_columns(columns, "branch")]
    assert names == ["branch", "snapshot_id"]


def test_a_branch_is_named_by_its_day(macros):
    assert macros.branch_name("2026-01-31") == "ds_2026_01_31"


class Table:
    """What run_query gives of a describe."""

    def __init__(self, names):
        self.rows = [{"col_name": name, "data_type": "string"} for name in names]
