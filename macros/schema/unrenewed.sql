{% macro unrenewed(returned, previous) %}
    {%- set done = fromjson(previous.summary.get('lakemirror.returned', '[]')) if previous else [] -%}
    {%- set found = [] -%}
    {%- for column in returned if renewal(column) not in done -%}
        {%- do found.append(column) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
