{# what a judged batch still tells: a row that is deleted softly keeps what older changes know of it #}
{% macro remaining_sql(judged, deletes) -%}
(
    select *
    from {{ judged }}
    where not _is_truncated{{ ' and not _is_outdated' if deletes == 'hard' }}
)
{%- endmacro %}
