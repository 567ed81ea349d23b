def test_the_remedy_is_named(macros, sql):
    assert sql(macros.epoch_problem("log 2 follows log 1", "mirror_o")) == (
        "the order of the source went back: log 2 follows log 1. For Vitess set "
        "vitess.inherit.epoch=true at the connector; for what has been sent, and for a new "
        "MySQL server, say in the var epochs what to add, for example "
        "`epochs: [{log: '-40', epoch: 1}]`, and rebuild the mirror: "
        "dbt run --full-refresh --select mirror_o "
        "--vars '{allow_full_refresh: true}'."
    )
