{# what every run needs before its first model; other commands write nothing #}
{% macro prepare_lake() %}
    {% if execute and flags.WHICH in ['run', 'build', 'retry'] %}
        {% do run_query('create namespace if not exists ops') %}
        {% do run_query('create namespace if not exists stage') %}
        {% do adapter.drop_left_batches() %}
        {% do run_query(quarantine_sql()) %}
        {% do run_query(conflicts_table_sql()) %}
        {% do run_query(runs_table_sql()) %}
    {% endif %}
{% endmacro %}
