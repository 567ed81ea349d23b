{# the files of deletes that may be rewritten are those of positions: a vector is its data file's alone #}
{% macro figures_sql(relation, policy, is_partitioned, young=none) %}
    {%- set is_small -%}
    content = 0 and file_size_in_bytes < {{ policy.small_bytes }}
    {%- if young %} and coalesce(readable_metrics.{{ quoted(young.column) }}.upper_bound >= {{ young.since }}, true){% endif %}
    {%- endset %}
    with

    files as (

        select
            count_if(content = 0) as data_files,
            sum(if(content = 0, file_size_in_bytes, 0)) as data_bytes,
            sum(if(content = 0, record_count, 0)) as rows,
            count_if({{ is_small }}) as small_files,
            sum(if({{ is_small }}, file_size_in_bytes, 0)) as small_bytes,
            count_if(content <> 0) as delete_files,
            sum(if(content <> 0, file_size_in_bytes, 0)) as delete_bytes,
            count_if(content = 1 and lower(file_format) <> 'puffin') as position_deletes,
            sum(if(content = 1, record_count, 0)) as deleted
        from {{ relation }}.files
        group by spec_id{{ ', partition' if is_partitioned }}

    ),

    manifests as (

        select count(*) as manifests, sum(length) as manifest_bytes from {{ relation }}.manifests

    )

    select
        sum(data_files) as data_files,
        sum(data_bytes) as data_bytes,
        sum(rows) as rows,
        sum(if(small_files >= {{ policy.min_input_files }}, small_files, 0)) as small_files,
        sum(if(small_files >= {{ policy.min_input_files }}, small_bytes, 0)) as small_bytes,
        sum(delete_files) as delete_files,
        sum(delete_bytes) as delete_bytes,
        max(position_deletes) as most_deletes,
        sum(deleted) as deleted,
        max(manifests) as manifests,
        max(manifest_bytes) as manifest_bytes
    from files
    cross join manifests
{% endmacro %}
