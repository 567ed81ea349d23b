{% macro following_sql(stage, filled=[]) %}
    select
        *,
        _outcome = 'change' as _is_ordered,
        true as _is_applied,
        {%- if filled %}
        _unsent is not null as _is_partial,
        {%- endif %}
        true as _is_new_row,
        false as _is_same,
        false as _is_outdated
    from {{ stage }}
{% endmacro %}
