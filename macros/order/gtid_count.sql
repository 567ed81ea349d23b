{# uuid:1-7000:7002-7006 is 7005 transactions; null where the number does not fit #}
{% macro gtid_count(gtid) -%}
aggregate(
    regexp_extract_all({{ gtid }}, ':([0-9]+(?:-[0-9]+)?)', 1),
    0L,
    (transactions, part) -> try_add(
        transactions,
        try_add(
            1L,
            try_subtract(
                try_cast(split_part(part, '-', -1) as bigint),
                try_cast(split_part(part, '-', 1) as bigint)
            )
        )
    )
)
{%- endmacro %}
