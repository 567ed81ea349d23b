{# every problem of a mirror's configuration in one error, and its settings with their defaults #}
{% macro mirror_settings() %}
    {%- set key = config.get('unique_key') -%}
    {%- set key = [key] if key and key is string else key -%}
    {%- set buckets = config.get('buckets') -%}
    {%- set by = config.get('bucket_by') -%}
    {%- set mode = config.get('merge_mode', 'merge-on-read') -%}
    {%- set version = config.get('format_version', 2) -%}
    {%- set own = config.get('table_properties', {}) -%}
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
    {%- if mode not in ['merge-on-read', 'copy-on-write'] -%}
        {%- do problems.append('merge_mode: merge-on-read or copy-on-write is expected, and not ' ~ mode) -%}
    {%- endif -%}
    {%- if version not in [2, 3] -%}
        {%- do problems.append('format_version: 2 or 3 is expected, and not ' ~ version) -%}
    {%- endif -%}
    {%- set choices = {
        'deletes': ['hard', 'soft'],
        'on_bad_rows': ['quarantine', 'fail'],
        'on_order_conflict': ['warn', 'error'],
    } -%}
    {%- for name, values in choices.items() if config.get(name, values[0]) not in values -%}
        {%- do problems.append(
            name ~ ': ' ~ values | join(' or ') ~ ' is expected, and not ' ~ config.get(name)
        ) -%}
    {%- endfor -%}
    {%- if own is not mapping -%}
        {%- do problems.append('table_properties: a mapping is expected') -%}
    {%- endif -%}
    {%- do problems.extend(retention_problems(tombstone_retention(config))) -%}
    {%- do refuse_settings(problems, model.name) -%}
    {%- set properties = mirror_properties(mode, version, buckets) -%}
    {%- do properties.update(own) -%}
    {%- set settings = {
        'key': key, 'buckets': buckets, 'bucket_by': by or key[0], 'properties': properties,
    } -%}
    {%- for name, values in choices.items() -%}
        {%- do settings.update({name: config.get(name, values[0])}) -%}
    {%- endfor -%}
    {{ return(settings) }}
{% endmacro %}
