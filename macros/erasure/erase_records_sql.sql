{# the place of a record stays: landing and the counts of days know it by that #}
{% macro erase_records_sql(table, places) %}
    update {{ table }} set key = null, value = null
    where
        {{ at_places(places) | indent(8) }}
{% endmacro %}
