{% macro retention_problems(days) %}
    {%- if days is not integer or days is boolean or days < 1 -%}
        {{ return([
            'tombstone_retention_days: a whole number from 1 is expected, and not ' ~ days
        ]) }}
    {%- endif -%}
    {{ return([]) }}
{% endmacro %}
