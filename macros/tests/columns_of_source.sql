{% test columns_of_source(model) %}
    {%- set findings = adapter.unlike_source(model, adapter.get_columns_in_relation(model)) %}
    select explode(cast(array(
        {%- for finding in findings %}
        {{ lakemirror_string(finding) }}{{ ',' if not loop.last }}
        {%- endfor %}
    ) as array<string>)) as finding
{% endtest %}
