KEYS = [{"a": "7", "b": "it's"}, {"a": "8", "b": "x"}]
KINDS = {"a": "int", "b": "string", "c": "double"}
ERASED_KEYS = "ops.erased_keys"


def test_rows_are_found_by_typed_literals(macros, sql):
    condition = sql(macros.key_condition(KEYS, KINDS))
    assert "`a` = cast('7' as int) and `b` = cast('it\\'s' as string)" in condition
    assert condition.count(" or ") == 1


def test_records_are_found_by_what_they_decode_to_and_by_their_texts(macros, sql):
    found = sql(macros.erased_places_sql("raw.t", "select * from decoded", KEYS, KINDS))
    assert "select * from decoded" in found
    assert """get_json_object(raw.key, '$.payload[\\'a\\']') = '7'""" in found
    assert """get_json_object(raw.value, '$.before[\\'a\\']') = '8'""" in found
    assert "coalesce(get_json_object(raw.key, '$.payload')" in found


def test_the_place_of_a_record_stays(macros, sql):
    erased = sql(macros.erase_records_sql("raw.t", {0: [9, 7], 2: [1]}))
    assert erased.startswith("update raw.t set key = null, value = null where")
    assert "_kfk_offset between 7 and 9" in erased
    assert "_kfk_partition = 2" in erased


def test_places(macros, sql):
    assert sql(macros.at_places({3: [5]})) == sql("""(
        ( _kfk_partition = 3 and _kfk_offset between 5 and 5 and _kfk_offset in (5) )
    )""")


def test_what_ops_keeps_is_found_by_place_key_and_text(macros, sql):
    condition = sql(macros.kept_condition(["m"], {0: [7]}, ['{"id":7}']))
    assert condition.startswith("model in ('m') and ( false")
    assert "_kfk_partition = 0 and _kfk_offset in (7)" in condition
    assert """in ('{"id":7}')""" in condition
    texts = sql(macros.kept_condition(["m"], None, None, ['{"id":7}']))
    assert "unique_key in ('{\"id\":7}')" in texts
    assert "_kfk_offset" not in texts


def test_a_message_names_a_key(macros, sql):
    condition = sql(macros.message_condition(["m"], ['{"id":7}', '{"id":"7"}']))
    assert condition.count('contains(message, \'{"id"') == 2


def test_records_of_erased_keys_are_read_without_key_and_value(macros, sql):
    counted = sql(macros.kept_out_count_sql("raw.t version as of 5", "raw.t", ERASED_KEYS))
    assert "in ( select key_hash from ops.erased_keys where raw_table = 'raw.t' )" in counted
    kept_out = sql(macros.kept_out_sql("raw.t version as of 5", "raw.t", ERASED_KEYS))
    assert "from (select * from raw.t version as of 5) as raw" in kept_out
    assert "if(erased.key_hash is null, raw.value, null) as value" in kept_out
    assert "sha2( concat( (select max(salt) from ops.erased_keys" in kept_out
