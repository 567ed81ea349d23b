{# what a mirror was before it is rebuilt is no base of a day after it #}
{% macro drop_bases(target) %}
    {%- for name in adapter.base_tags(target) -%}
        {%- do adapter.execute_until_committed('alter table ' ~ target ~ ' drop tag ' ~ quoted(name)) -%}
    {%- endfor -%}
{% endmacro %}
