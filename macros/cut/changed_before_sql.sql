{# the changes of before a time by their keys, and its truncates by their order #}
{% macro changed_before_sql(changes, unique_key, time) -%}
    select
        {{ key_columns(unique_key) }},
        {{ key_columns(order_columns()) }},
        _outcome
    from (
        {{ timed_changes_sql(changes, unique_key, time) | indent(8) }}
    )
    where _is_before and (_outcome = 'change' or (_outcome = 'truncate' and _src_ts is not null))
{%- endmacro %}
