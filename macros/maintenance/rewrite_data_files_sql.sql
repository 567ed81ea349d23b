{# with files of deletes that no data file is left of; without columns to sort by, files are put together as they are #}
{% macro rewrite_data_files_sql(relation, rewrite) %}
{%- set policy = rewrite.policy %}
    call system.rewrite_data_files(
        table => {{ lakemirror_string(relation) }},
        {%- if rewrite.branch %}
        branch => {{ lakemirror_string(rewrite.branch) }},
        {%- endif %}
        {%- if policy.z_order_by %}
        strategy => 'sort',
        sort_order => {{ lakemirror_string('zorder(' ~ key_columns(policy.z_order_by) ~ ')') }},
        {%- elif rewrite.sort_by %}
        strategy => 'sort',
        sort_order => {{ lakemirror_string(key_columns(rewrite.sort_by)) }},
        {%- endif %}
        {%- if rewrite.young %}
        where => {{ lakemirror_string(quoted(rewrite.young.column) ~ ' >= ' ~ rewrite.young.since) }},
        {%- endif %}
        options => map(
            'target-file-size-bytes', '{{ policy.target_bytes }}',
            'min-file-size-bytes', '{{ policy.small_bytes }}',
            'min-input-files', '{{ policy.min_input_files }}',
            {%- if rewrite.which == 'all' %}
            'rewrite-all', 'true',
            {%- elif rewrite.which == 'deleted' %}
            'delete-file-threshold', '1',
            {%- endif %}
            {%- if rewrite.commits > 1 %}
            'partial-progress.enabled', 'true',
            'partial-progress.max-commits', '{{ rewrite.commits }}',
            'partial-progress.max-failed-commits', '0',
            {%- endif %}
            'remove-dangling-deletes', 'true'
        )
    )
{% endmacro %}
