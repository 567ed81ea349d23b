{# a topic may have had no record yet: its mirror is empty then, and says so #}
{% macro await_raw(raw, model_name) %}
    {%- if adapter.await_raw(raw) -%}
        {%- do exceptions.warn(
            model_name ~ ': no record has landed in ' ~ raw ~ ' yet. If its topic has some, see '
            ~ "the source's name and the var topic_sources."
        ) -%}
    {%- endif -%}
{% endmacro %}
