{% macro debezium_columns(raw) -%}
    {%- set errors = ['event._corrupt_record is not null', 'value is not null and event is null'] -%}
    {%- for column in adapter.declared_columns(raw) -%}
        {%- set value = 'coalesce(event.after, event.before).' ~ quoted(column.name) -%}
        {%- set expression = decoded(value, column.data_type) -%}
        {%- if 'try_' in expression -%}
            {%- do errors.append(value ~ ' is not null and ' ~ expression ~ ' is null') -%}
        {%- endif -%}
        {{ expression }} as {{ quoted(column.name) }},
{% endfor -%}
    {{ errors | join('\nor ') }} as _is_undecodable
{%- endmacro %}
