{# of the columns that came back, those whose rows have not been renewed since, by their names in the table #}
{% macro returned_to_renew(returned, previous, places, defaults, columns) %}
    {%- set found = [] -%}
    {%- for column in unrenewed(returned, previous) -%}
        {%- for there in columns if there.name == places.get(column.name) -%}
            {%- set value = defaults.get(column.name) -%}
            {%- do found.append(dict(
                column,
                name=there.name,
                default='cast(' ~ value ~ ' as ' ~ there.data_type ~ ')' if value else none
            )) -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
