{# dbt run-operation prune_days --args '{model: daily_shop__orders, dry_run: false}' #}
{% macro prune_days(model=none, dry_run=true) %}
    {%- for node in nodes_of('daily', model, 'prune_days') -%}
        {%- set settings = daily_settings(node.config, node.name) -%}
        {%- set keep_days = settings.keep_days -%}
        {%- set target = mirror_of(node) -%}
        {%- set outlived = adapter.outlived_days(written_days(target), keep_days)
            if keep_days and load_relation(target) is not none else [] -%}
        {%- if outlived and not dry_run -%}
            {%- do run_query(prune_days_sql(target, outlived)) -%}
            {%- if settings.publish == 'branch' -%}
                {%- do prune_branches(node, outlived) -%}
            {%- endif -%}
        {%- endif -%}
        {%- do log(
            node.name ~ ': ' ~ outlived | length ~ ' days ' ~ ('would go' if dry_run else 'are gone')
            ~ (': ' if outlived else '') ~ outlived | join(', '),
            info=true
        ) -%}
    {%- endfor -%}
{% endmacro %}
