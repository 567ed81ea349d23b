def test_it_names_the_remedy(macros, sql):
    assert sql(macros.buckets_warning("mirror.t", "mirror_t")) == (
        "mirror_t: mirror.t has other buckets than its configuration says, so that a merge moves "
        "all of it. To change the table: dbt run-operation rebucket --args '{model: mirror_t}'"
    )
