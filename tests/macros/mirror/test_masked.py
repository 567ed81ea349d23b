def test_what_is_masked_is_null_of_its_type(macros, sql):
    macros.columns = [{"name": "id", "masked": None}, {"name": "e mail", "masked": "array<string>"}]
    assert sql(macros.masked("mirror.t")) == (
        "select `id`, cast(null as array<string>) as `e mail` from mirror.t"
    )
    macros.columns = []  # when it is parsed
    assert sql(macros.masked("mirror.t")) == "select * from mirror.t"
