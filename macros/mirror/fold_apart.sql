{# what tells rows apart that have no key to be folded by #}
{% macro fold_apart(row='') -%}
    case
        when {{ row }}_outcome in ('change', 'ignored', 'truncate') then ''
        else concat_ws(':', {{ row }}_kfk_partition, {{ row }}_kfk_offset)
    end
{%- endmacro %}
