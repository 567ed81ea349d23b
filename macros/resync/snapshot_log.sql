{% macro snapshot_log(snapshot) -%}
    cast({{ 'null' if snapshot._tx_log is none else lakemirror_string(snapshot._tx_log) }} as string)
{%- endmacro %}
