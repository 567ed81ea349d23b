"""`dbt source freshness` asks how far a source has been read, and not when records landed."""

from typing import Any

from support.lake import Lake
from support.small_project import Project

SOURCES = """
sources:
  - name: {source}
    schema: raw
    config:
      loaded_at_query: "{{{{ complete_until('{watermark}') }}}}"
      freshness: {{warn_after: {{count: 1, period: day}}}}
    tables: [{{name: orders}}, {{name: payments}}]
"""
WATERMARK = """
select '' as shard, timestamp '2026-01-01' as heard_from, {} as complete_until, 'beats' as proof
union all
select '-80', timestamp '2026-01-01', {}, 'beats'
"""
AN_HOUR_AGO = "current_timestamp() - interval 1 hour"
WATERMARKS = {
    "quiet": (AN_HOUR_AGO, "current_timestamp()"),
    "behind": (AN_HOUR_AGO, "timestamp '2026-01-02'"),
    "unheard": (AN_HOUR_AGO, "cast(null as timestamp)"),
}


def test_a_source_is_as_fresh_as_its_watermark(lake: Lake) -> None:
    """H12, case 69, F22: as the shard that is furthest behind, whatever has landed since.

    Of a quiet table nothing is read, of one with old events neither, and each source is asked once.
    """
    project = Project(lake)
    for source, times in WATERMARKS.items():
        watermark = f"watermark_{source}"
        project.write(f"models/{watermark}.sql", WATERMARK.format(*times))
        project.write(f"models/{source}.yml", SOURCES.format(source=source, watermark=watermark))
    project.dbt("run")
    judged = freshness(project)
    assert {name: status for name, (status, _) in judged.items()} == {
        "quiet.orders": "pass",
        "quiet.payments": "pass",
        "behind.orders": "warn",
        "behind.payments": "warn",
        "unheard.orders": "warn",
        "unheard.payments": "warn",
    }
    assert judged["behind.orders"][1] == "2026-01-02T00:00:00+00:00"
    for source in WATERMARKS:
        assert judged[f"{source}.orders"] == judged[f"{source}.payments"]


def test_a_watermark_that_is_not_there_is_an_error(lake: Lake) -> None:
    """H12: nobody takes it for a source that is fresh, or stale."""
    project = Project(lake)
    project.write("models/shop.yml", SOURCES.format(source="shop", watermark="watermark_shp"))
    result = project.dbt("source", "freshness", fails=True)
    [*found] = [r for r in result.result.results if r.node.resource_type == "source"]
    assert {r.status for r in found} == {"runtime error"}
    assert "watermark_shp is no model of this project" in str(found[0].message)


def freshness(project: Project) -> dict[str, tuple[str, str]]:
    """Status and time of each source's table."""
    results: Any = project.dbt("source", "freshness").result.results
    return {
        f"{r.node.source_name}.{r.node.name}": (str(r.status), r.max_loaded_at.isoformat())
        for r in results
        if r.node.resource_type == "source"
    }
