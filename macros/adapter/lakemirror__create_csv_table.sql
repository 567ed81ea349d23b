{% macro lakemirror__create_csv_table(model, agate_table) %}
    {% set types = model['config'].get('column_types', {}) %}
    {% set columns = [] %}
    {% for name in agate_table.column_names %}
        {% do columns.append(
            adapter.quote(name) ~ ' '
            ~ types.get(name, adapter.convert_type(agate_table, loop.index0))
        ) %}
    {% endfor %}
    {% set sql %}
        create or replace table {{ this }} ({{ columns | join(', ') }})
        using iceberg
        {{ partition_cols(label='partitioned by') }}
        {{ comment_clause() }}
        {{ tblproperties_clause() }}
    {% endset %}
    {% do run_query(sql) %}
    {{ return(sql) }}
{% endmacro %}
