{# choices has a setting's values by its name, the default first #}
{% macro chosen_settings(config, choices, problems) %}
    {%- set chosen = {} -%}
    {%- for name, values in choices.items() -%}
        {%- do chosen.update({name: config.get(name, values[0])}) -%}
        {%- if chosen[name] not in values -%}
            {%- do problems.append(
                name ~ ': ' ~ values | join(' or ') ~ ' is expected, and not ' ~ chosen[name]
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if config.get('table_properties', {}) is not mapping -%}
        {%- do problems.append('table_properties: a mapping is expected') -%}
    {%- endif -%}
    {{ return(chosen) }}
{% endmacro %}
