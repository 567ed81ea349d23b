{# a hash of two million keys fits into memory, also where they are all in one bucket; a join of more is
   sorted, which may spill #}
{% macro batch_join(batch, settings, is_small) %}
    {{ return(
        'broadcast' if is_small
        else 'shuffle_hash' if settings.buckets and batch.window.records < 2000000
        else 'merge'
    ) }}
{% endmacro %}
