{% macro reused_offsets_problem(others, raw) -%}
    {{ others }} records of {{ raw }} have the Kafka coordinates of other records in the log. A topic
    {{- ' ' }}that was deleted and made anew starts its offsets again: give it a source of its own in
    {{- ' ' }}the var topic_sources, and a log of its own.
{%- endmacro %}
