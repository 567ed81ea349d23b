{# the table's rows before it gets the columns that a batch brings; a rebuild is judged by no row #}
{% macro rows_to_judge(rows, stage, batch, evolution) -%}
    {%- if batch.is_rebuild -%}
    (select * from {{ stage }} where false)
    {%- elif '_unsent' in evolution.mirror.added -%}
    (select *, {{ unsent('cast(array() as array<string>)') | indent(4) }} as _unsent from {{ rows }})
    {%- else -%}
    {{ rows }}
    {%- endif -%}
{%- endmacro %}
