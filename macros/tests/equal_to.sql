{# columns that both have, as texts where their types differ #}
{% test equal_to(model, to, key, tolerances={}, columns=none) %}
    {%- set types = {} %}
    {%- set there = {} %}
    {%- for column in adapter.get_columns_in_relation(to) %}
    {%- do there.update({column.name | lower: column.data_type}) %}
    {%- endfor %}
    {%- for column in adapter.get_columns_in_relation(model) if column.name | lower in there %}
    {%- do types.update({column.name: column.data_type if there[column.name | lower] == column.data_type else 'text'}) %}
    {%- endfor %}
    {%- set shown = columns or types.keys() | list %}
    {%- set compared = shown | reject('in', key) | list %}
    {%- set rows = {
        'first': model, 'second': to, 'key': key, 'types': types, 'shown': shown, 'compared': compared,
        'tolerances': tolerances,
    } %}
    select kind, unique_key, difference.*
    from (
        {{ unequal_sql(rows) | indent(8) }}
    )
    lateral view explode(differences) as difference
{% endtest %}
