{% macro lakemirror_schema_versions(history) %}
    {% call statement('schema_versions', fetch_result=True) %}
        select
            raw_table,
            to_json(collect_list(
                struct(* except (source, raw_table, schema_hash, comment, note, _landed_at))
            )) as versions
        from {{ history }}
        where size(columns) > 0 or origin = 'schema_change'
        group by raw_table
    {% endcall %}
    {{ return(load_result('schema_versions').data) }}
{% endmacro %}
