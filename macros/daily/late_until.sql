{# a day holds what happened before it, too #}
{% macro late_until(late, day) %}
    {{ return(late.items() | selectattr(0, 'le', day) | map(attribute=1) | sum) }}
{% endmacro %}
