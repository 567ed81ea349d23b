{% macro merged_by(batch, has_buckets, is_small) %}
    {{ return(
        'rebuild' if batch.is_rebuild
        else 'broadcast' if is_small
        else 'buckets' if has_buckets
        else 'shuffle'
    ) }}
{% endmacro %}
