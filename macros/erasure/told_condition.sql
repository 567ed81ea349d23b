{# of records that no query decodes: their texts are asked #}
{% macro told_condition(column, paths, keys) -%}
(
    {%- for values in keys %}
    {{ 'or ' if not loop.first -}}
    (
        {%- for path in paths %}
        {{ 'or ' if not loop.first -}}
        (
            {%- for name, text in values.items() -%}
            get_json_object({{ column }}, {{ lakemirror_string(path ~ "['" ~ name ~ "']") }}) = {{ lakemirror_string(text) }}
            {%- if not loop.last %} and {% endif -%}
            {%- endfor -%}
        )
        {%- endfor %}
    )
    {%- endfor %}
)
{%- endmacro %}
