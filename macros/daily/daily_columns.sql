{# of the mirror: a row that is softly deleted is in no day #}
{% macro daily_columns(mirror) %}
    {{ return(
        columns_of_query('select * from ' ~ mirror)
        | rejectattr('name', 'in', soft_columns('soft') | map(attribute='name') | list) | list
    ) }}
{% endmacro %}
