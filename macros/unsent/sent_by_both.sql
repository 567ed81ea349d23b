{# what two rows at one place may be compared by: what both know as of that place #}
{% macro sent_by_both(row, other, columns, filled) -%}
{%- for name in columns -%}
    {%- if name in filled -%}
        {%- set text = lakemirror_string(name) -%}
        if({{ is_sent(row, text) }} and {{ is_sent(other, text) }}, {{ row }}.{{ quoted(name) }}, null)
    {%- else -%}
        {{ row }}.{{ quoted(name) }}
    {%- endif -%}
    {%- if not loop.last %}, {% endif -%}
{%- endfor -%}
{%- endmacro %}
