{# what the table has got since its bookmark is null in all rows, also when a run died meanwhile #}
{% macro columns_to_fill(target, previous, defaults) %}
    {%- if previous is none -%}
        {{ return([]) }}
    {%- endif -%}
    {{ return(adapter.columns_to_fill(
        columns_of_query('select * from ' ~ target ~ ' version as of ' ~ previous.id),
        columns_of_query('select * from ' ~ target),
        defaults
    )) }}
{% endmacro %}
