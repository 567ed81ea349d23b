{# the keys that an audit has found to differ, for a list of keys #}
{% macro keys_found_sql(audit_id, model) -%}
select unique_key
from {{ ops_table('audit_findings') }}
where audit_id = {{ lakemirror_string(audit_id) }} and model = {{ lakemirror_string(model) }}
{%- endmacro %}
