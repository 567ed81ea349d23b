{# what stands between two marks is the raw table #}
{% macro pinned(sql, raw, clause) -%}
    {%- for part in sql.split('/* changes(' ~ raw ~ ') */') -%}
        {{ part if loop.index is odd else adapter.records_sql(raw, clause) }}
    {%- endfor -%}
{%- endmacro %}
