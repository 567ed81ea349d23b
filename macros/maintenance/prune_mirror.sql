{# the tag keeps the horizon: expiry never removes a tagged snapshot #}
{% macro prune_mirror(node, dry_run) %}
    {%- set days = tombstone_retention(node.config) -%}
    {%- do refuse_settings(retention_problems(days), node.name) -%}
    {%- set mirror = mirror_of(node) -%}
    {%- set tombstones = tombstones_of(mirror) -%}
    {%- if load_relation(mirror) is not none -%}
        {%- set horizon = adapter.horizon(
            adapter.newest_own_commit(mirror), adapter.memory(tombstones), days
        ) -%}
    {%- endif -%}
    {%- if not horizon -%}
        {%- do log(node.name ~ ': has merged no change yet', info=true) -%}
    {%- else -%}
        {%- set outlived = run_query(outlived_sql(tombstones, horizon)).rows[0][0] | int -%}
        {%- if outlived and not dry_run -%}
            {%- do commit_with({'pruned-until': horizon}) -%}
            {%- do run_query(prune_sql(tombstones, horizon)) -%}
            {%- do commit_plain({'pruned-until': horizon}) -%}
        {%- endif -%}
        {%- set prune = adapter.memory(tombstones).prune -%}
        {%- if prune and not dry_run -%}
            {%- do adapter.execute_until_committed(horizon_tag_sql(tombstones, prune)) -%}
        {%- endif -%}
        {%- do log(
            node.name ~ ': ' ~ outlived ~ ' tombstones from before ' ~ horizon
            ~ (' would go' if dry_run else ' are gone'),
            info=true
        ) -%}
    {%- endif -%}
{% endmacro %}
