{# the rows of several commits beside each other, for their columns: `_base_id` comes before those of each #}
{% macro bases_sql(mirror, ids) -%}
    select
        {%- for id in ids %}
        {{ id }}L as _base_id,
        base_{{ id }}.*{{ ',' if not loop.last }}
        {%- endfor %}
    from
        {%- for id in ids %}
        {{ 'cross join ' if not loop.first }}{{ mirror }} version as of {{ id }} as base_{{ id }}
        {%- endfor %}
{%- endmacro %}
