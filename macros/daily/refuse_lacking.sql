{# what a table was that is made of raw alone needs all of it (F49) #}
{% macro refuse_lacking(raw, mirror, time, model_name) %}
    {%- set lacking = run_query(
        lacking_sql(ref('landing'), raw, adapter.records_sql(raw))
    ).rows -%}
    {%- for row in lacking -%}
        {%- do exceptions.raise_compiler_error(
            model_name ~ ': what ' ~ mirror ~ ' was at ' ~ time ~ ' cannot be made. No snapshot of it from '
            ~ 'before is left, and ' ~ raw ~ ' has ' ~ row['held_records'] ~ ' of the '
            ~ row['landed_records'] ~ ' records that were landed of ' ~ row['topic'] ~ ', partition '
            ~ row['partition'] ~ '. Nothing of it was written. Roll ' ~ raw ~ ' back, or ask for later days '
            ~ 'by the vars ds and ds_to.'
        ) -%}
    {%- endfor -%}
{% endmacro %}
