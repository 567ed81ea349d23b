{# the source's own columns: technical ones start with _ #}
{% macro payload_columns(names) %}
    {%- set own = [] -%}
    {%- for name in names if not name.startswith('_') -%}
        {%- do own.append(name) -%}
    {%- endfor -%}
    {{ return(own) }}
{% endmacro %}
