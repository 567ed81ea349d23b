{% macro quarantine_batch(stage, batch, quarantined, on_bad_rows) %}
    {%- if quarantined -%}
        {%- do run_query(quarantine_batch_sql(stage, batch.raw, batch.window, model.name)) -%}
        {%- if on_bad_rows == 'fail' -%}
            {%- do refuse_batch(stage, model.name, bad_rows_problem(quarantined, model.name)) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
