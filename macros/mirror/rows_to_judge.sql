{# the table's rows before it gets the columns that a batch brings; what makes a table anew is judged
   by no row #}
{% macro rows_to_judge(rows, stage, batch, evolution, start) -%}
    {%- if batch.is_rebuild or batch.is_first -%}
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
