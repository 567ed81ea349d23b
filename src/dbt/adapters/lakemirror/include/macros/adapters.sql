{% macro lakemirror__list_schemas(database) %}
    {% call statement('list_schemas', fetch_result=True, auto_begin=False) %}
        show namespaces
    {% endcall %}
    {{ return(load_result('list_schemas').table) }}
{% endmacro %}


{# SHOW TABLE EXTENDED leaves Iceberg's views out, and loads every table #}
{% macro lakemirror_list_relations(schema) %}
    {% set relations = [] %}
    {% for kind in ['table', 'view'] %}
        {% call statement('list_' ~ kind, fetch_result=True) %}
            show {{ kind }}s in `{{ schema }}`
        {% endcall %}
        {% for row in load_result('list_' ~ kind).data if not row[2] %}
            {% do relations.append((kind, row[1])) %}
        {% endfor %}
    {% endfor %}
    {{ return(relations) }}
{% endmacro %}


{# with EXTENDED, Spark plans a scan of the table #}
{% macro lakemirror__get_columns_in_relation_raw(relation) %}
    {{ return(run_query('describe ' ~ relation)) }}
{% endmacro %}


{% macro lakemirror__comment_clause() %}
    {%- if (config.get('persist_docs') or {}).get('relation') -%}
        comment {{ lakemirror_string(model.description) }}
    {%- endif -%}
{% endmacro %}


{% macro lakemirror_string(text) -%}
    '{{ text | replace("\\", "\\\\") | replace("'", "\\'") }}'
{%- endmacro %}


{# one statement for all columns, and none where nothing has changed #}
{% macro lakemirror__alter_column_comment(relation, column_dict) %}
    {% set there, changed = {}, [] %}
    {% for name, _, comment in get_columns_in_relation_raw(relation) %}
        {% do there.setdefault(name | lower, comment or '') %}
    {% endfor %}
    {% for name, column in column_dict.items() if there[name | lower] != column.description %}
        {% do changed.append(
            adapter.quote(name) ~ ' comment ' ~ lakemirror_string(column.description)
        ) %}
    {% endfor %}
    {% if changed %}
        {% do run_query('alter table ' ~ relation ~ ' alter column ' ~ changed | join(', ')) %}
    {% endif %}
{% endmacro %}


{# a table is replaced and never dropped: its history and its identity stay #}
{% macro lakemirror__create_table_as(temporary, relation, compiled_code, language='sql') %}
    {%- if language == 'python' -%}
        {{ lakemirror_python_table(compiled_code, relation, temporary) }}
    {%- elif temporary -%}
        {{ create_temporary_view(relation, compiled_code) }}
    {%- else -%}
        create or replace table {{ relation }}
        {% if config.get('contract').enforced -%}
            {{ get_assert_columns_equivalent(compiled_code) }}
            {%- set compiled_code = get_select_subquery(compiled_code) %}
        {%- endif %}
        using iceberg
        {{ partition_cols(label='partitioned by') }}
        {{ comment_clause() }}
        {{ tblproperties_clause() }}
        as
        {{ compiled_code }}
    {%- endif -%}
{% endmacro %}


{# the frame becomes a view of the session, and the table is made as a SQL model's is #}
{% macro lakemirror_python_table(compiled_code, relation, temporary) %}
{{ compiled_code }}

dbt = dbtObj(spark.table)
frame = model(dbt, spark)
if not hasattr(frame, "createOrReplaceTempView"):
    frame = spark.createDataFrame(frame)
{% if temporary -%}
frame.createOrReplaceTempView("{{ relation.identifier }}")
{%- else -%}
frame.createOrReplaceTempView("dbt_python_model")
spark.sql({{ create_table_as(False, relation, 'select * from dbt_python_model') | tojson }})
{%- endif %}
{% endmacro %}


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


{# dbt-spark's drops the table #}
{% macro lakemirror__reset_csv_table(model, full_refresh, old_relation, agate_table) %}
    {{ return(create_csv_table(model, agate_table)) }}
{% endmacro %}


{# dbt's own drops the table for a view of its name #}
{% macro lakemirror__handle_existing_table(full_refresh, old_relation) %}
    {% do exceptions.raise_compiler_error(
        model.name ~ ': ' ~ old_relation ~ ' is a table. Drop it first, if nobody needs it.'
    ) %}
{% endmacro %}


{% macro lakemirror__alter_relation_add_remove_columns(relation, add_columns, remove_columns) %}
    {% if add_columns %}
        {% set definitions = [] %}
        {% for column in add_columns %}
            {% do definitions.append(column.quoted ~ ' ' ~ column.data_type) %}
        {% endfor %}
        {% do run_query('alter table ' ~ relation ~ ' add columns (' ~ definitions | join(', ') ~ ')') %}
    {% endif %}
    {% for column in remove_columns or [] %}
        {% do run_query('alter table ' ~ relation ~ ' drop column ' ~ column.quoted) %}
    {% endfor %}
{% endmacro %}


{# by the partitions that are in the result: the materialization sets the mode to dynamic #}
{% macro get_insert_overwrite_sql(source_relation, target_relation, existing_relation) %}
    insert overwrite {{ target_relation }} by name
    select * from {{ source_relation }}
{% endmacro %}


{# as JSON: a raw table has some versions, and a version many columns #}
{% macro lakemirror_schema_versions() %}
    {% call statement('schema_versions', fetch_result=True) %}
        select
            raw_table,
            to_json(collect_list(
                struct(table_name, origin, columns, key, first_seen, last_seen)
            )) as versions
        from raw.schema_history
        where size(columns) > 0
        group by raw_table
    {% endcall %}
    {{ return(load_result('schema_versions').data) }}
{% endmacro %}
