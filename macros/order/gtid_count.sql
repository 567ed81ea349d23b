{# uuid:1-7000:7002-7006 is 7005 transactions #}
{% macro gtid_count(gtid) -%}
    aggregate(
        regexp_extract_all({{ gtid }}, ':([0-9]+(?:-[0-9]+)?)', 1),
        0L,
        (transactions, part) -> transactions + 1
            + cast(split_part(part, '-', -1) as bigint) - cast(split_part(part, '-', 1) as bigint)
    )
{%- endmacro %}
