{# right before the snapshot: what is older stays out, and a row of the snapshot that comes late is newer #}
{% macro removal_order(snapshot) %}
    {{ return({
        '_tx_log': snapshot_log(snapshot),
        '_tx_epoch': snapshot._tx_epoch ~ 'L',
        '_tx_rank': snapshot._tx_rank ~ 'L',
        '_tx_order': (snapshot._tx_order - 1) ~ 'L',
        '_src_ts': 'cast(' ~ (lakemirror_string(snapshot._src_ts) if snapshot._src_ts else 'null') ~ ' as timestamp)',
        '_kfk_partition': snapshot._kfk_partition,
        '_kfk_offset': snapshot._kfk_offset ~ 'L',
    }) }}
{% endmacro %}
