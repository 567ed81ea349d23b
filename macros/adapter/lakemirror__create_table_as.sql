{% macro lakemirror__create_table_as(temporary, relation, compiled_code, language='sql') %}
    {%- if language == 'python' -%}
        {{ lakemirror_python_table(compiled_code, relation, temporary) }}
    {%- elif temporary -%}
        {{ create_temporary_view(relation, compiled_code) }}
    {%- else -%}
        {#- an incremental table that another run has made meanwhile has rows that are not to go -#}
        {%- set is_first = config.get('materialized') == 'incremental' and not should_full_refresh() -%}
        create {{ 'or replace ' if not is_first }}table {{ relation }}
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
