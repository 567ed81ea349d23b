{# with files of deletes that no data file is left of; without columns to sort by, files are put together as they are #}
{% macro rewrite_data_files_sql(relation, policy, sort_by, which, commits, branch=none) %}
    call system.rewrite_data_files(
        table => {{ lakemirror_string(relation) }},
        {%- if branch %}
        branch => {{ lakemirror_string(branch) }},
        {%- endif %}
        {%- if policy.z_order_by %}
        strategy => 'sort',
        sort_order => {{ lakemirror_string('zorder(' ~ key_columns(policy.z_order_by) ~ ')') }},
        {%- elif sort_by %}
        strategy => 'sort',
        sort_order => {{ lakemirror_string(key_columns(sort_by)) }},
        {%- endif %}
        options => map(
            'target-file-size-bytes', '{{ policy.target_bytes }}',
            'min-file-size-bytes', '{{ policy.small_bytes }}',
            'min-input-files', '{{ policy.min_input_files }}',
            {%- if which == 'all' %}
            'rewrite-all', 'true',
            {%- elif which == 'deleted' %}
            'delete-file-threshold', '1',
            {%- endif %}
            {%- if commits > 1 %}
            'partial-progress.enabled', 'true',
            'partial-progress.max-commits', '{{ commits }}',
            'partial-progress.max-failed-commits', '0',
            {%- endif %}
            'remove-dangling-deletes', 'true'
        )
    )
{% endmacro %}
