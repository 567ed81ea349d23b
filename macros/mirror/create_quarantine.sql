{% macro create_quarantine() %}
    {% if execute and flags.WHICH in ['run', 'build', 'retry'] %}
        {% do run_query('create namespace if not exists ops') %}
        {% do run_query(quarantine_sql()) %}
    {% endif %}
{% endmacro %}
