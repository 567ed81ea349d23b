{% macro rows_to_judge(rows, start, lacks_unsent=false) -%}
(
    select *
        {%- if lacks_unsent %},
        {{ unsent('cast(array() as array<string>)') | indent(8) }} as _unsent
        {%- endif %}
    from {{ rows }}
    {%- if start %}
    where {{ may_outdate(start) | indent(4) }}
    {%- endif %}
)
{%- endmacro %}
