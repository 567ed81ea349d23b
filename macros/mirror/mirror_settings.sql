{# every problem of a mirror's configuration in one error, and its settings with their defaults #}
{% macro mirror_settings(config, model_name) %}
    {%- set key = config.get('unique_key') -%}
    {%- set key = [key] if key and key is string else key -%}
    {%- set buckets = config.get('buckets') -%}
    {%- set by = config.get('bucket_by') -%}
    {%- set stage_from = config.get('stage_from', 400000) -%}
    {%- set problems = [] -%}
    {%- if not key or key is mapping -%}
        {%- do problems.append(
            'unique_key: a list of the key columns is needed. A table without a key gets one by '
            ~ "message.key.columns at its connector, or has its changes kept by materialized='log'"
        ) -%}
    {%- endif -%}
    {%- if buckets is not none and (buckets is not integer or buckets is boolean or buckets < 1) -%}
        {%- do problems.append('buckets: a number from 1 is expected, and not ' ~ buckets) -%}
    {%- endif -%}
    {%- if by and by not in (key or []) -%}
        {%- do problems.append('bucket_by: a column of unique_key is expected, and not ' ~ by) -%}
    {%- endif -%}
    {%- set chosen = chosen_settings(config, {
        'merge_mode': ['merge-on-read', 'copy-on-write'],
        'format_version': [2, 3],
        'deletes': ['hard', 'soft'],
        'on_bad_rows': ['quarantine', 'fail'],
        'on_order_conflict': ['warn', 'error'],
        'on_drop': ['keep', 'drop'],
        'on_type_conflict': ['fail', 'new_column', 'string'],
        'on_undeclared': ['wait', 'fail', 'warn'],
    }, problems) -%}
    {%- if stage_from is not integer or stage_from is boolean or stage_from < 0 -%}
        {%- do problems.append('stage_from: a number of records is expected, and not ' ~ stage_from) -%}
    {%- endif -%}
    {%- do problems.extend(retention_problems(tombstone_retention(config))) -%}
    {%- do refuse_settings(problems, model_name) -%}
    {%- set properties = mirror_properties(chosen.merge_mode, chosen.format_version, buckets) -%}
    {%- do properties.update(config.get('table_properties', {})) -%}
    {%- do chosen.update(
        key=key,
        buckets=buckets,
        bucket_by=by or (key[0] if key | length == 1 else none),
        stage_from=stage_from,
        properties=properties,
    ) -%}
    {{ return(chosen) }}
{% endmacro %}
