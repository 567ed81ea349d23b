{# a connection's session forgets these when its model is done #}
{% macro set_session(settings) %}
    {% for name, value in settings.items() %}
        {% do run_query('set `' ~ name ~ '` = `' ~ value | string | replace('`', '``') ~ '`') %}
    {% endfor %}
{% endmacro %}
