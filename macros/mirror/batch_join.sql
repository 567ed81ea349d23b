{# a hash of a million keys fits into memory, also where they are all in one bucket; more are sorted, which
   may spill #}
{% macro batch_join(keys, has_buckets, is_small) %}
    {{ return(
        'broadcast' if is_small
        else 'shuffle_hash' if has_buckets and keys < 1000000
        else 'merge'
    ) }}
{% endmacro %}
