{# the matched clauses stay even where nothing can match: without one, a MERGE is not checked #}
{% macro merge_sql(target, stage, settings, columns, new_floor, filled=[], touched=[]) %}
    {%- set merged = columns + soft_columns(settings.deletes) | map(attribute='name') | list %}
    {%- set newer = is_newer('changes', 'target') %}
    merge into {{ target }} as target
    using (
        {{ live_rows_sql(stage, columns, settings.deletes) | indent(8) }}
    ) as changes
    on {{ same_key('target', 'changes', settings.key) }}
    {{- in_buckets('target', settings, touched) }}
    {%- if settings.deletes == 'hard' %}
    when matched and {{ newer | indent(4) }}
        and changes._op = 'd' then delete
    {%- endif %}
    {%- if filled %}
    when matched and (
        {{ newer | indent(8) }}
        or changes._unsent is distinct from target._unsent
    ) then update set
    {%- else %}
    when matched and {{ newer | indent(4) }} then update set
    {%- endif %}
        {% for column in merged -%}
            target.{{ quoted(column) }} = changes.{{ quoted(column) }}{{ ',' if not loop.last }}
        {% endfor %}
    when not matched{{ " and changes._op <> 'd'" if settings.deletes == 'hard' }} then insert
        ({{ key_columns(merged) }})
        values ({{ key_columns(merged, 'changes') }})
    {%- if new_floor %}
    when not matched by source
        and ({{ floor_condition('target', '<', new_floor) | indent(8) }}) then delete
    {%- endif %}
{% endmacro %}
