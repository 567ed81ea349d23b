"""What a decoded value becomes where a source wants another type in the lake."""

FOUND = {"length": 10, "lake": "bigint", "time_zone": "Asia/Seoul"}


def test_conversions(macros, sql):
    bit = "case v when true then '1' when false then '0' end"
    boolean = "case v when 0 then false when 1 then true end"
    instant = "to_utc_timestamp(cast(v as timestamp), 'Asia/Seoul')"
    local = "cast(from_utc_timestamp(v, 'Asia/Seoul') as timestamp_ntz)"
    assert macros.bit_of_boolean("v", FOUND) == bit
    assert macros.bits_of_number("v", FOUND) == "lpad(conv(cast(v as string), 10, 2), 10, '0')"
    assert macros.boolean_of_number("v", FOUND) == boolean
    assert macros.instant_of_local("v", FOUND) == instant
    assert macros.local_of_instant("v", FOUND) == local
    assert macros.cast_as("v", FOUND) == "try_cast(v as bigint)"
    assert macros.text_of_binary("v", FOUND) == "hex(v)"
    assert macros.text_of_instant("v", FOUND) == "concat(cast(v as string), '+00:00')"
    nested = sql(macros.text_of_nested("v", FOUND))
    assert nested.startswith(
        "to_json(v, map( 'ignoreNullFields', 'false', 'timestampFormat', 'yyyy"
    )
    assert nested.count("ss.SSSSSS") == 2


def test_a_time_is_null_or_all_of_its_text(macros, sql):
    text = sql(macros.text_of_time("v", {}))
    assert text.startswith("get(transform(filter(array(v), micros -> micros is not null)")


def test_none_is_the_value_itself(macros):
    assert macros.converted("v", {"conversion": None}) == "v"
    assert macros.converted("v", {"conversion": {"macro": "text_of_binary"}}) == "hex(v)"


def test_a_column_and_its_default_are_converted(macros, sql):
    """The value before the default is taken, so that both are of one type."""
    column = {"name": "n", "former": [], "older": [], "unavailable": [], "connector": "mysql"}
    column |= {"type": macros.type("int"), "default": {"lake": "int", "text": "7"}}
    column["conversion"] = {"macro": "boolean_of_number"}
    default = macros.boolean_of_number("cast('7' as int)", {})
    assert macros.default_value(column) == default
    found = sql(macros.debezium_column(column))
    assert found.startswith(f"coalesce( {macros.boolean_of_number('image.`n`', {})}, if(")
    assert found.endswith(f"{default}, null ) )")
