{# what two rows at one place may be compared by: what both know as of that place #}
{% macro sent_by_both(row, other, columns, filled) -%}
{%- for name in columns -%}
    {%- if name in filled -%}
        if(
            exists(
                concat(coalesce({{ row }}._unsent, array()), coalesce({{ other }}._unsent, array())),
                unsent -> unsent.name = {{ lakemirror_string(name) }}
            ),
            null,
            {{ row }}.{{ quoted(name) }}
        )
    {%- else -%}
        {{ row }}.{{ quoted(name) }}
    {%- endif -%}
    {%- if not loop.last %}, {% endif -%}
{%- endfor -%}
{%- endmacro %}
