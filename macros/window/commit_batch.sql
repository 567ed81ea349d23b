{# the caller's statement, with the bookmark and the counts in its commit, which counts only if no
   other run has committed since this one began; then the batch is tidied up #}
{% macro commit_batch(target, staged, batch, counts, properties, updates=none) %}
    {%- set branch = none if batch.is_rebuild else begin_branch(target) -%}
    {%- do refuse_overtaken(target, batch.previous, branch, model.name) -%}
    {%- set into = target ~ '.branch_' ~ branch if branch else target -%}
    {%- if updates and updates.fills -%}
        {%- do run_query(fill_sql(into, updates.fills)) -%}
    {%- endif -%}
    {%- for column in (updates.returned if updates else []) -%}
        {%- do run_query(renew_sql(into, column)) -%}
    {%- endfor -%}
    {%- set query = caller(into) -%}
    {%- do commit_query(query, target, branch, properties) -%}

    {%- do adapter.execute_until_committed(boundary_tag_sql(batch.raw, target, batch.window)) -%}
    {%- for stage in staged | reverse -%}
        {%- do drop_batch(stage) -%}
    {%- endfor -%}
    {%- do log(counts_line(model.name, counts), info=true) -%}
    {%- do tell_run(
        counts.applied ~ ' applied', dict(counts, merged_by=properties['merged-by'])
    ) -%}
{% endmacro %}
