{# deletes that are remembered by another key are read again #}
{% macro deletes_to_judge(stage, deletes, unique_key, evolution, start) -%}
    {%- if evolution.has_new_key -%}
    (select {{ key_columns(unique_key + order_columns()) }} from {{ stage }} where false)
    {%- elif start -%}
    (
        select *
        from {{ deletes }}
        where {{ may_outdate(start) | indent(8) }}
    )
    {%- else -%}
    {{ deletes }}
    {%- endif -%}
{%- endmacro %}
