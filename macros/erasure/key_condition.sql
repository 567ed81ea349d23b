{# by literals, so that files are left out by their bounds #}
{% macro key_condition(keys, kinds) -%}
(
    {%- for values in keys %}
    {{ 'or ' if not loop.first -}}
    (
        {%- for name, text in values.items() -%}
        {{ quoted(name) }} = cast({{ lakemirror_string(text) }} as {{ kinds[name] }})
        {%- if not loop.last %} and {% endif -%}
        {%- endfor -%}
    )
    {%- endfor %}
)
{%- endmacro %}
