{# the columns that a mirror fills one by one; none where its query has no _unsent #}
{% macro unsent_columns(names, unique_key) %}
    {{ return(
        adapter.payload_columns(names) | reject('in', unique_key) | list if '_unsent' in names else []
    ) }}
{% endmacro %}
