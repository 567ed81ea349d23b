{# deletes that are remembered by another key are read again #}
{% macro deletes_to_judge(stage, memory, unique_key, evolution, start) -%}
    {%- if evolution.has_new_key or memory.is_unwritten -%}
    (select {{ key_columns(unique_key + order_columns()) }} from {{ stage }} where false)
    {%- elif start -%}
    (
        select *
        from {{ memory.deletes }}
        where {{ may_outdate(start) | indent(8) }}
    )
    {%- else -%}
    {{ memory.deletes }}
    {%- endif -%}
{%- endmacro %}
