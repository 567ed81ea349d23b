{# all that the mirror knows beside its rows goes on; no event was read #}
{% macro resync_properties(previous, snapshot, rows) %}
    {%- set properties = {} -%}
    {%- for name, value in previous.summary.items() if name.startswith('lakemirror.')
        and name not in ['lakemirror.unguarded', 'lakemirror.unknown'] -%}
        {%- do properties.update({name | replace('lakemirror.', '', 1): value}) -%}
    {%- endfor -%}
    {%- for count in ['read', 'applied', 'stale', 'duplicate', 'ignored', 'quarantined'] -%}
        {%- do properties.update({count: 0}) -%}
    {%- endfor -%}
    {%- do properties.update({
        'resync': {
            '_tx_log': snapshot._tx_log,
            '_tx_epoch': snapshot._tx_epoch,
            '_tx_rank': snapshot._tx_rank,
            '_tx_order': snapshot._tx_order,
        } | tojson,
        'resync-removed': rows,
        'invocation-id': invocation_id,
    }) -%}
    {{ return(properties) }}
{% endmacro %}
