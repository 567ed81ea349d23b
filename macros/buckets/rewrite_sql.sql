{# files of a former partitioning would keep it #}
{% macro rewrite_sql(relation) %}
    call system.rewrite_data_files(
        table => '{{ relation.schema }}.{{ relation.identifier }}',
        options => map('rewrite-all', 'true')
    )
{% endmacro %}
