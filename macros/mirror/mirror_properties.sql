{% macro mirror_properties(merge_mode, format_version, buckets) %}
    {{ return({
        'format-version': format_version,
        'write.merge.mode': merge_mode,
        'write.update.mode': merge_mode,
        'write.delete.mode': merge_mode,
        'write.merge.isolation-level': 'serializable',
        'write.delete.granularity': 'partition',
        'write.merge.distribution-mode': 'none' if buckets else 'hash',
        'write.parquet.compression-codec': 'zstd',
        'write.metadata.delete-after-commit.enabled': 'true',
        'write.metadata.previous-versions-max': 100,
    }) }}
{% endmacro %}
