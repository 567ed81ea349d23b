{# what a newer change of its own lineage outdates is out; between the rest the source's time decides #}
{% macro newest_change(changes) -%}
    get(
        {{ changes }},
        array_max(transform(
            filter(
                transform({{ changes }}, (change, place) -> struct(change, place)),
                candidate -> not exists(
                    {{ changes }},
                    other -> {{ same_lineage('other._tx_log', 'candidate.change._tx_log') | indent(20) }}
                        and {{ change_order('other') | indent(20) }}
                            > {{ change_order('candidate.change') | indent(20) }}
                )
            ),
            candidate -> struct(
                {{ time_order('candidate.change') | indent(16) }} as time_order, candidate.place
            )
        )).place
    )
{%- endmacro %}
