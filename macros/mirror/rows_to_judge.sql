{# the table's rows before it gets the columns that a batch brings; a rebuild is judged by no row #}
{% macro rows_to_judge(rows, stage, batch, evolution, start) -%}
    {%- if batch.is_rebuild -%}
    (select * from {{ stage }} where false)
    {%- elif start or '_unsent' in evolution.mirror.added -%}
    (
        select *
            {%- if '_unsent' in evolution.mirror.added %},
            {{ unsent('cast(array() as array<string>)') | indent(12) }} as _unsent
            {%- endif %}
        from {{ rows }}
        {%- if start %}
        where {{ may_outdate(start) | indent(8) }}
        {%- endif %}
    )
    {%- else -%}
    {{ rows }}
    {%- endif -%}
{%- endmacro %}
