{# what the table has got since its bookmark is null in all rows, also when a run died meanwhile #}
{% macro columns_to_fill(target, previous, defaults) %}
    {%- if previous is none -%}
        {{ return([]) }}
    {%- endif -%}
    {{ return(adapter.columns_to_fill(
        query_columns('select * from ' ~ target ~ ' version as of ' ~ previous.id),
        query_columns('select * from ' ~ target),
        defaults
    )) }}
{% endmacro %}
