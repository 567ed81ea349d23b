{% macro tombstones_of(mirror) %}
    {{ return(mirror.incorporate(path={'identifier': mirror.identifier ~ '__tombstones'})) }}
{% endmacro %}
