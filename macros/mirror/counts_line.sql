{% macro counts_line(model_name, counts) -%}
    {{ model_name }}: {{ counts.read }} read, {{ counts.applied }} applied, {{ counts.stale }} stale,
    {{- ' ' }}{{ counts.duplicate }} duplicate, {{ counts.ignored }} ignored,
    {{- ' ' }}{{ counts.quarantined }} quarantined
    {{- ', ' ~ counts.unguarded ~ ' unguarded' if counts.unguarded }}
{%- endmacro %}
