{# judging a small batch by a broadcast join costs less than staging it for a join without a shuffle;
   32 MB of raw files fit into a driver's cache. Rows that are completed from the mirror, and files that
   are rewritten, need the staged one #}
{% macro is_small(batch, settings, filled) %}
    {{ return(
        batch.window.records < settings.stage_from
        and batch.window.bytes < 32 * 1024 * 1024
        and settings.merge_mode == 'merge-on-read'
        and not filled
        and not batch.is_rebuild
    ) }}
{% endmacro %}
