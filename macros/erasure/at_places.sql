{% macro at_places(places) -%}
(
    {%- for partition, offsets in places.items() %}
    {{ 'or ' if not loop.first -}}
    (
        _kfk_partition = {{ partition }}
        and _kfk_offset between {{ offsets | min }} and {{ offsets | max }}
        and _kfk_offset in ({{ offsets | join(', ') }})
    )
    {%- endfor %}
)
{%- endmacro %}
