{# a landing says how far it has read when every topic is in raw, and not before #}
{% macro landed(changes) -%}
(
    select changes.*
    from {{ changes }} as changes
    inner join (
        select topic, partition, max(to_offset) as to_offset
        from {{ ref('landing') }}
        group by topic, partition
    ) as read
        on
            changes._kfk_topic = read.topic
            and changes._kfk_partition = read.partition
            and changes._kfk_offset <= read.to_offset
)
{%- endmacro %}
