{# a connection's session forgets these when its model is done #}
{% macro set_session(settings) %}
    {% for name, value in settings.items() %}
        {% do adapter.execute('set `' ~ name ~ '` = `' ~ value | string | replace('`', '``') ~ '`') %}
    {% endfor %}
{% endmacro %}
