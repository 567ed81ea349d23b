{% macro changed_before_sql(changes, unique_key, time) -%}
    select
        {{ key_columns(unique_key) }},
        _outcome,
        max({{ source_order('timed') }}) as _latest
    from (
        {{ timed_changes_sql(changes, unique_key, time) | indent(8) }}
    ) as timed
    where _outcome = 'change' or (_outcome = 'truncate' and _src_ts is not null)
    group by {{ key_columns(unique_key) }}, _outcome
{%- endmacro %}
