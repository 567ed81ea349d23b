"""Days that are branches of their mirror."""

from types import SimpleNamespace


def test_a_view_of_all_days(macros, sql):
    days = [{"ds": f"2026-01-0{n}", "branch": f"ds_2026_01_0{n}"} for n in (1, 2)]
    found = {"names": ["id"], "days": days}
    macros.context["adapter"] = SimpleNamespace(days_as_branches=lambda daily, mirror: found)
    assert sql(macros.days_of("daily.t", "m.t")) == (
        "select `id`, date '2026-01-01' as ds from m.t version as of 'ds_2026_01_01' union all "
        "select `id`, date '2026-01-02' as ds from m.t version as of 'ds_2026_01_02'"
    )
    found["days"] = []
    none = sql(macros.days_of("daily.t", "m.t"))
    assert none == "select *, cast(null as date) as ds from m.t where false"
