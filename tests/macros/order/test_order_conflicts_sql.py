from lakemirror.runs.mirror_plan import Shape
from lakemirror.state.ops_tables import ORDER_CONFLICTS

SHAPE = Shape(["id"], ["id", "v"], [], "hard")


def test_two_contents_at_one_place_of_the_order(macros, sql):
    found = sql(macros.order_conflicts_sql("stage.s", "mirror.o", SHAPE, ["id", "v"], "mirror_o"))
    assert found.endswith(
        sql(f"""
            from stage.s as stage
            left join mirror.o as target
                on
                    stage.`id` = target.`id`
                    and {macros.same_place("stage", "target")}
            where
                stage._outcome = 'change'
                and (
                    stage._is_ambiguous
                    or target._op is not null
                    and xxhash64(stage.`id`, stage.`v`) <> xxhash64(target.`id`, target.`v`)
                )
        """)
    )


def test_the_table_has_the_columns_that_are_merged_into_it(macros, sql):
    found = sql(macros.order_conflicts_sql("stage.s", "mirror.o", SHAPE, ["id"], "mirror_o"))
    for name in ORDER_CONFLICTS.columns:
        assert f"stage.{name}," in found or f"as {name}" in found, name
