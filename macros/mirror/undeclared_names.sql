{# of a batch's rows that matter, as JSON: also of those that a column of another type may have broken #}
{% macro undeclared_names(condition, tells_undeclared) -%}
    {%- if tells_undeclared -%}
        to_json(array_sort(array_distinct(flatten(transform(
            collect_set(_undeclared) filter (
                where _undeclared is not null
                    and ({{ condition }} or _outcome like 'cannot be decoded: %')
            ),
            names -> from_json(names, 'array<string>')
        )))))
    {%- else -%}
        '[]'
    {%- endif -%}
{%- endmacro %}
