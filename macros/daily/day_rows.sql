{# the rows of a day in a daily table as it is or was #}
{% macro day_rows(daily, mirror, day, publish) %}
    {%- if publish == 'copy' -%}
        {{ return(daily) }}
    {%- endif -%}
    {%- set snapshot = run_query(
        'select snapshot_id from ' ~ daily ~ " where ds = date '" ~ day ~ "'"
    ).rows[0][0] | int -%}
    {{ return(
        "(select *, date '" ~ day ~ "' as ds from " ~ mirror ~ ' version as of ' ~ snapshot ~ ')'
    ) }}
{% endmacro %}
