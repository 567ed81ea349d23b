"""The SQL of each family of encodings; tests/functional/source/test_types.py has what it gives."""


def test_numbers(macros, sql):
    assert macros.as_read("v", macros.type("int")) == "v"
    unsigned = "cast(if(v < 0, v + 18446744073709551616, v) as decimal(20,0))"
    assert macros.unsigned_of_signed("v", macros.type("bigint unsigned")) == unsigned
    single = sql(macros.float_of_double("v", macros.type("float")))
    assert single.startswith("if( cast(cast(v as float) as double) = v or (")


def test_decimals(macros, sql):
    text = macros.type("decimal(12,2)", decimal_handling_mode="string")
    number = "try_cast(v as decimal(12,2))"
    assert sql(macros.decimal_of_text("v", text)) == sql(f"""
        if(
            cast({number} as string) = v
            or v rlike '^[+-]?([0-9]+([.][0-9]{{0,2}}0*)?|0([.]0+)?E[+-]?[0-9]+)$'
            or (
                v rlike '^[+-]?[0-9]([.][0-9]+)?E[+-]?[0-9]+$'
                and length(rtrim('0', split_part(split_part(v, 'E', 1), '.', 2)))
                - try_cast(split_part(v, 'E', 2) as smallint) <= 2
            ),
            {number}, null
        )""")
    double = macros.type("decimal(12,2)", decimal_handling_mode="double")
    assert sql(macros.decimal_of_double("v", double)) == sql(
        f"if( cast({number} as double) = v and abs(v) < 1E13D, {number}, null )"
    )
    numeric = macros.type("decimal(12,2)", decimal_format="numeric")
    assert numeric["json"] == "decimal(38,28)"
    assert macros.decimal_of_number("v", numeric) == f"if({number} = v, {number}, null)"


def test_decimals_of_bytes(macros, sql):
    small = (
        "case when length(v) <= 8 and length(v) > 0 then "
        "conv(lpad(hex(v), 16, if(hex(v) >= '8', 'F', '0')), 16, -10)"
    )
    assert sql(macros.integer_text("v", 18)) == f"{small} end"
    assert sql(macros.integer_text("v")).startswith(f"{small} when length(v) > 8 then concat(")
    decimal = sql(macros.decimal_of_bytes("v", macros.type("decimal(12,2)")))
    assert decimal == f"try_cast(concat({small} end, 'E-2') as decimal(12,2))"
    long = sql(macros.text_of_bytes("v", macros.type("decimal(65,30)")))
    assert long == sql(macros.scaled_text(macros.integer_text("v"), 30))
    macros.debezium = {"connector": "postgresql"}
    variable = sql(macros.text_of_variable_scale("v", macros.type("numeric")))
    assert variable == sql(macros.scaled_text(macros.integer_text("v.value"), "v.scale"))


def test_bytes(macros, sql):
    blob = macros.type("blob")
    assert macros.binary_of_hex("v", blob) == "if(length(v) % 2 = 0, unhex(v), null)"
    assert (
        macros.binary_of_url_base64("v", blob)
        == "try_to_binary(translate(v, '-_', '+/'), 'base64')"
    )
    bits = macros.number_of_bits("v", macros.type("bit(10)"))
    reversed_hex = "array_join(reverse(regexp_extract_all(hex(v), '..', 0)), '')"
    assert bits == f"try_cast(conv(concat('0', {reversed_hex}), 16, 10) as bigint)"
    macros.debezium = {"connector": "vitess"}
    bits = macros.number_of_bits("v", macros.type("bit(64)"))
    assert bits == "try_cast(conv(concat('0', hex(v)), 16, 10) as decimal(20,0))"
    macros.debezium = {"connector": "postgresql"}
    assert "lpad(ltrim('0', " in sql(macros.text_of_bits("v", macros.type("bit(10)")))
    assert sql(macros.text_of_bits("v", macros.type("varbit"))).startswith("ltrim('0', ")


def test_dates(macros, sql):
    days = "if(v >= -2440588, date_from_unix_date(v), null)"
    assert macros.date_of_days("v", macros.type("date")) == days
    date = "try_cast(rtrim('Z', v) as date)"
    assert macros.date_of_text("v", macros.type("date")) == (
        f"if(cast({date} as string) = rtrim('Z', v), {date}, null)"
    )
    fields = macros.date_of_fields("v", macros.type("date"))
    assert fields == f"if(v.specialValue is null, try_cast({macros.date_text('v')} as date), null)"


def test_times(macros, sql):
    assert macros.time_of_units("v", macros.type("time")) == "v"
    nanos = macros.type("time", time_precision_mode="nanoseconds")
    assert macros.time_of_units("v", nanos) == "if(v % 1000 = 0, v div 1000, null)"
    millis = macros.type("time", time_precision_mode="connect")
    assert macros.time_of_units("v", millis) == "try_multiply(v, 1000L)"
    assert sql(macros.time_of_text("v", nanos)).startswith("if( v rlike '^-?[0-9]{1,6}:")
    assert sql(macros.time_of_clock("v", nanos)).endswith("+ v.nanos div 1000, null )")
    assert "coalesce(v.months, 0) = 0" in macros.time_of_duration("v", nanos)


def test_datetimes(macros, sql):
    micros = sql(macros.datetime_of_units("v", macros.type("datetime(6)")))
    assert "cast(timestamp_micros(v) as timestamp_ntz)" in micros
    text = sql(macros.datetime_of_text("v", macros.type("datetime")))
    assert text.endswith("try_cast(rtrim('Z', v) as timestamp_ntz), null )")
    fields = sql(macros.datetime_of_fields("v", macros.type("datetime")))
    assert sql(macros.clock_text("v")) in fields
    instant = sql(macros.timestamp_of_fields("v", macros.type("timestamp")))
    assert instant.endswith("- v.offsetSeconds * 1000000 )")
    assert "try_cast(v as timestamp)" in macros.timestamp_of_text("v", macros.type("timestamp"))


def test_arrays(macros, sql):
    macros.debezium = {"connector": "postgresql"}
    day = "if(element >= -2440588, date_from_unix_date(element), null)"
    assert sql(macros.array_of("v", macros.type("date[]"))) == sql(f"""
        if(
            exists(v, element -> {day} is null and element is not null),
            null,
            transform(v, element -> {day})
        )""")


def test_a_zero_date_is_not_lost(macros):
    iso = macros.type("date", time_precision_mode="isostring")
    text = "t is null and v is not null and v not like '0000-00-00%'"
    assert macros.is_lost("t", "v", iso) == text
    fields = macros.type("date", time_precision_mode="structured")
    parts = "(v.year <> 0 or v.month <> 0 or v.day <> 0)"
    assert macros.is_lost("t", "v", fields) == f"t is null and v is not null and {parts}"
