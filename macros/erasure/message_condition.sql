{# what a run has said may name a key as an example #}
{% macro message_condition(models, key_texts) -%}
model in ({{ texts(models) }}) and (
    {%- for text in key_texts %}
    {{ 'or ' if not loop.first }}contains(message, {{ lakemirror_string(text) }})
    {%- endfor %}
)
{%- endmacro %}
