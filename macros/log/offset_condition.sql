{# literals, so that Iceberg leaves out the files of other offsets #}
{% macro offset_condition(ranges) -%}
    {%- for part in ranges %}
    _kfk_partition = {{ part['_kfk_partition'] | int }}
    and _kfk_offset >= {{ part['first_offset'] | int }}
    and _kfk_offset <= {{ part['last_offset'] | int }}
    {{- '\n    or' if not loop.last }}
    {%- else -%}
    false
    {%- endfor -%}
{%- endmacro %}
