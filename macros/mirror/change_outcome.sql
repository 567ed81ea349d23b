{# without a key a change is kept and not merged: it needs no order either, and a truncate is a change as any
   other #}
{% macro change_outcome(unique_key) -%}
    case
        when _op in ('tombstone', 'm') then 'ignored'
        when _undecodable <> '' then concat('cannot be decoded: ', _undecodable)
        when coalesce(_op, '') not in ('c', 'u', 'd', 'r', 't') then 'unknown operation'
        {%- if unique_key %}
        when
            _op <> 't' and (
                {%- for column in unique_key %}
                {{ quoted(column) }} is null{{ ' or' if not loop.last }}
                {%- endfor %}
            )
            then 'no key'
        when _tx_epoch is null or _tx_rank is null or _tx_order is null then 'no order'
        when _op = 't' and _tx_log like '%-%' then 'truncate of a part of the keys'
        when _op = 't' then 'truncate'
        {%- endif %}
        else 'change'
    end
{%- endmacro %}
