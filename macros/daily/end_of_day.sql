{% macro end_of_day(day) %}
    {{ return((
        modules.datetime.datetime.fromisoformat(day) + modules.datetime.timedelta(days=1)
    ) | string) }}
{% endmacro %}
