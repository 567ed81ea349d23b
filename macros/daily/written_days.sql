{% macro written_days(relation) %}
    {{ return(run_query(
        'select cast(partition.ds as string) as ds from ' ~ relation ~ '.partitions'
    ).columns['ds'].values() | list) }}
{% endmacro %}
