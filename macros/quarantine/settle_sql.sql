{# it may be run again: a run that dies before it leaves them open, and the next merges them again #}
{% macro settle_sql(retried, model_name, judged_by, invocation_id) %}
    merge into {{ ops_table('quarantine') }} as old
    using {{ retried }} as new
    on
        old.model = '{{ model_name }}'
        and old.settled_at is null
        and old._kfk_partition = new._kfk_partition
        and old._kfk_offset = new._kfk_offset
    when matched and new.is_usable then update set
        old.settled_at = current_timestamp(),
        old.settled_as = 'taken in',
        old.settled_reason = 'by the run {{ invocation_id }}'
    when matched then update set
        old.reason = new._outcome,
        old.judged_by = '{{ judged_by }}'
{% endmacro %}
