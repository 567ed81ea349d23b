{% macro debezium_columns(raw, connector=none) -%}
    {%- set errors = ['event._corrupt_record is not null', 'value is not null and event is null'] -%}
    {%- set may_lack = connector == 'postgresql' -%}
    {%- set columns = adapter.declared_columns(raw) -%}
    {%- for column in columns -%}
        {%- set value = 'coalesce(event.after, event.before).' ~ quoted(column.name) -%}
        {%- set expression = decoded(value, column.data_type) -%}
        {%- if 'try_' in expression -%}
            {%- do errors.append(value ~ ' is not null and ' ~ expression ~ ' is null') -%}
        {%- endif -%}
        {%- if may_lack and is_unavailable(value, column.data_type) -%}
            {%- set expression = 'if(' ~ is_unavailable(value, column.data_type) ~ ', null, ' ~ expression ~ ')' -%}
        {%- endif -%}
        {{ expression }} as {{ quoted(column.name) }},
{% endfor -%}
    {{ errors | join('\nor ') }} as _is_undecodable
    {%- if may_lack %},
    {{ unsent(unsent_names(columns, 'coalesce(event.after, event.before)')) | indent(4) }} as _unsent
    {%- endif %}
{%- endmacro %}
