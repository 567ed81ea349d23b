{# what a batch's changes are compared with: all that is older than each of them outdates none. In
   literals: a scan leaves out the files that have nothing else #}
{% macro may_outdate(start) -%}
_tx_epoch > {{ start._tx_epoch }}L
or _tx_epoch = {{ start._tx_epoch }}L and _tx_rank >= {{ start._tx_rank }}L
or _src_ts >= timestamp '{{ start._src_ts }}'
{%- endmacro %}
