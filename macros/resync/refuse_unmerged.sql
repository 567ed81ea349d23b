{% macro refuse_unmerged(batch, query, model_name) %}
    {%- set run = 'dbt run --select ' ~ model_name -%}
    {%- if batch.previous is none or batch.window is not none -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': raw has changes that the mirror has not merged yet. Nothing was written. '
            ~ 'Run the model first, and then its resync without replay and --full-refresh: ' ~ run
        ) -%}
    {%- endif -%}
    {%- if '_src_snapshot' not in columns_of_query(query) | map(attribute='name') -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': its staging model has no column _src_snapshot, which tells the rows of a '
            ~ 'snapshot. Add it, by metadata_columns() for example; then: ' ~ run
        ) -%}
    {%- endif -%}
{% endmacro %}
