{# one of the two stands, whatever the delivery; which keys have them is kept in ops.order_conflicts #}
{% macro report_conflicts(stage, target, settings, payload, model_name, filled=[]) %}
    {%- set conflicts = order_conflicts_sql(
        stage, target, settings.key, payload, model_name, filled
    ) -%}
    {%- set keys = run_query('select unique_key from (' ~ conflicts ~ ')').columns[0].values() -%}
    {%- if keys -%}
        {%- do run_query(
            'merge into ops.order_conflicts as old using (' ~ conflicts ~ ') as new '
            ~ 'on old.conflict_id = new.conflict_id '
            ~ 'when matched and old.conflict_id is null then delete when not matched then insert *'
        ) -%}
        {%- set message = (
            'the source has ' ~ keys | length ~ ' keys with two different changes at one place of its '
            ~ 'order, such as ' ~ keys[0] ~ ': see ops.order_conflicts.'
        ) -%}
        {%- if settings.on_order_conflict == 'error' -%}
            {%- do refuse_batch(stage, model_name, message) -%}
        {%- endif -%}
        {%- do exceptions.warn(model_name ~ ': ' ~ message) -%}
    {%- endif -%}
{% endmacro %}
