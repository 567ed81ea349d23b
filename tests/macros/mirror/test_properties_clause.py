def test_names_and_values_are_texts(macros, sql):
    assert sql(macros.properties_clause({"format-version": 2, "owner": "shop"})) == sql("""
        tblproperties (
            'format-version' = '2',
            'owner' = 'shop'
        )
    """)
