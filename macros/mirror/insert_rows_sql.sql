{# what lies in the table's buckets already is written as it lies, and not shuffled again #}
{% macro insert_rows_sql(target, stage, settings, columns, is_judged, lies_in_buckets=false) %}
    insert into {{ target }}{{ " with ('distribution-mode' = 'none')" if lies_in_buckets }}
        ({{ key_columns(columns + soft_columns(settings.deletes) | map(attribute='name') | list) }})
    {{ live_rows_sql(stage, columns, settings.deletes) | indent(4) }}
    {%- if is_judged %}
    and _is_applied
    {%- endif %}
    {%- if settings.deletes == 'hard' %} and _op <> 'd'{% endif %}
{% endmacro %}
