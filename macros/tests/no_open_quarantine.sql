{# a warning: what is in the quarantine is counted by each run as well #}
{% test no_open_quarantine(model) %}
    {{ config(severity='warn') }}
    select
        quarantine_id,
        reason,
        _kfk_topic,
        _kfk_partition,
        _kfk_offset
    from {{ ops_table('quarantine') }}
    where
        model = '{{ adapter.model_of(model) }}'
        and settled_at is null
{% endtest %}
