{# of a batch's rows that matter, as JSON #}
{% macro undeclared_names(condition, tells_undeclared) -%}
    {%- if tells_undeclared -%}
        to_json(array_sort(array_distinct(flatten(
            collect_set(_undeclared) filter (where size(_undeclared) > 0 and {{ condition }})
        ))))
    {%- else -%}
        '[]'
    {%- endif -%}
{%- endmacro %}
