{# deletes that are remembered by another key are read again #}
{% macro deletes_to_judge(stage, deletes, unique_key, evolution) -%}
    {%- if evolution.has_new_key -%}
    (select {{ key_columns(unique_key + order_columns()) }} from {{ stage }} where false)
    {%- else -%}
    {{ deletes }}
    {%- endif -%}
{%- endmacro %}
