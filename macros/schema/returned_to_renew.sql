{# of the columns that came back, those whose rows have not been renewed since, by their names in the table #}
{% macro returned_to_renew(returned, previous, places, defaults) %}
    {%- set done = fromjson(previous.summary.get('lakemirror.returned', '[]')) -%}
    {%- set found = [] -%}
    {%- for column in returned if column not in done and column.name in places -%}
        {%- do found.append(
            dict(column, name=places[column.name], default=defaults.get(column.name))
        ) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
