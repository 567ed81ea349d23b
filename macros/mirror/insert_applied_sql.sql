{% macro insert_applied_sql(target, judged, settings, columns) %}
    insert into {{ target }}
        ({{ key_columns(columns + soft_columns(settings.deletes) | map(attribute='name') | list) }})
    {{ live_rows_sql(judged, columns, settings.deletes) | indent(4) }}
    and _is_applied
    {%- if settings.deletes == 'hard' %} and _op <> 'd'{% endif %}
{% endmacro %}
