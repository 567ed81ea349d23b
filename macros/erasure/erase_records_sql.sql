{# the place of a record stays: landing and the counts of days know it by that #}
{% macro erase_records_sql(table, places) %}
    update {{ table }} set key = null, value = null
    where
        {%- for partition, offsets in places.items() %}
        {{ 'or ' if not loop.first -}}
        (
            _kfk_partition = {{ partition }}
            and _kfk_offset between {{ offsets | min }} and {{ offsets | max }}
            and _kfk_offset in ({{ offsets | join(', ') }})
        )
        {%- endfor %}
{% endmacro %}
