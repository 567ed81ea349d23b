{# whether from_json gives null for it, be it null or not; an older event is asked for an older type #}
{% macro is_unread(value, column) -%}
{%- call(old) by_age(column) -%}
    {%- if old is none -%}
        {{ value }} is null
    {%- elif old.type is none -%}
        false
    {%- else -%}
        {{ older_value(value, column, old) }} is null
    {%- endif -%}
{%- endcall -%}
{%- endmacro %}
