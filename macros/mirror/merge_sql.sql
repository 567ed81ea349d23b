{# the matched clauses stay even where nothing can match: without one, a MERGE is not checked #}
{% macro merge_sql(target, stage, shape, new_floor, touched='') %}
    {%- set newer = is_newer('changes', 'target') %}
    merge into {{ target }} as target
    using (
        {{ live_rows_sql(stage, shape) | indent(8) }}
    ) as changes
    on {{ same_key('target', 'changes', shape.key) }}
    {{- touched }}
    {%- if shape.deletes == 'hard' %}
    when matched and {{ newer | indent(4) }}
        and changes._op = 'd' then delete
    {%- endif %}
    {%- if shape.filled %}
    when matched and (
        {{ newer | indent(8) }}
        or changes._unsent is distinct from target._unsent
    ) then update set
    {%- else %}
    when matched and {{ newer | indent(4) }} then update set
    {%- endif %}
        {% for column in shape.merged -%}
            target.{{ quoted(column) }} = changes.{{ quoted(column) }}{{ ',' if not loop.last }}
        {% endfor %}
    when not matched{{ " and changes._op <> 'd'" if shape.deletes == 'hard' }} then insert
        ({{ key_columns(shape.merged) }})
        values ({{ key_columns(shape.merged, 'changes') }})
    {%- if new_floor %}
    when not matched by source
        and ({{ floor_condition('target', '<', new_floor) | indent(8) }}) then delete
    {%- endif %}
{% endmacro %}
