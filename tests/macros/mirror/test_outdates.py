def test_a_delete_outdates_what_is_older_and_what_claims_its_place(macros, sql):
    assert sql(macros.outdates("t", "c")) == sql(f"""
        {macros.is_newer("t", "c")}
        or {macros.same_place("t", "c")} and c._op <> 'd'
    """)
