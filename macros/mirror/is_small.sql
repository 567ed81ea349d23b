{# judging a small batch by a broadcast join costs less than staging it for a join without a shuffle;
   32 MB of raw files fit into a driver's cache. Files that are rewritten need the staged one #}
{% macro is_small(batch, settings) %}
    {{ return(
        batch.window.records < settings.stage_from
        and batch.window.bytes < 32 * 1024 * 1024
        and settings.merge_mode == 'merge-on-read'
        and not batch.is_rebuild
    ) }}
{% endmacro %}
