{# rows are compared by the key: one of another table, or of the table as it was, would lose some #}
{% macro refuse_key(batch, unique_key, model_name) %}
    {%- set summary = batch.previous.summary if batch.previous else {} -%}
    {%- set known = fromjson(summary.get('lakemirror.key', 'null')) -%}
    {%- set source_key = adapter.changed_key(batch.raw, unique_key) -%}
    {%- if source_key is not none or known and known | sort != unique_key | sort
        and not batch.is_rebuild -%}
        {%- do exceptions.raise_compiler_error(
            key_problem(unique_key, known, source_key, model_name)
        ) -%}
    {%- endif -%}
{% endmacro %}
