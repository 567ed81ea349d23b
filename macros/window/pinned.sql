{% macro pinned(sql, raw, clause) -%}
    {{ sql | replace('/* changes(' ~ raw ~ ') */', clause) }}
{%- endmacro %}
