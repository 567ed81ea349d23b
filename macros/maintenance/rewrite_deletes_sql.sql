{% macro rewrite_deletes_sql(relation, policy) %}
    call system.rewrite_position_delete_files(
        table => {{ lakemirror_string(relation) }},
        options => map('min-input-files', '{{ policy.min_input_files }}')
    )
{% endmacro %}
