{% macro newest_change(changes) -%}
get(
    {{ changes }},
    array_max(transform(
        filter(
            transform({{ changes }}, (change, place) -> struct(change, place)),
            candidate -> not exists(
                {{ changes }},
                other -> {{ same_lineage('other._tx_log', 'candidate.change._tx_log') | indent(16) }}
                    and {{ change_order('other') | indent(16) }}
                        > {{ change_order('candidate.change') | indent(16) }}
            )
        ),
        candidate -> struct(
            {{ time_order('candidate.change') | indent(12) }} as time_order, candidate.place
        )
    )).place
)
{%- endmacro %}
