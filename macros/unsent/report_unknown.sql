{# rows that have a column which no change has told: null, and named by _unsent without an order #}
{% macro report_unknown(rows, model_name) %}
    {%- set unknown = run_query(unknown_sql(rows)).rows[0][0] | int -%}
    {%- if unknown -%}
        {%- do exceptions.warn(
            model_name ~ ': ' ~ unknown ~ ' rows have a column that was not sent and is not known. It is '
            ~ 'null; find them by `exists(_unsent, column -> column._tx_epoch is null)`.'
        ) -%}
    {%- endif -%}
    {{ return(unknown) }}
{% endmacro %}
