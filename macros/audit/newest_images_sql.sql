{% macro newest_images_sql(changes, key, texts) %}
    select
        {{ canonical_texts(key) | indent(8) }} as key_texts,
        max(struct(_src_ts, _tx_epoch, _tx_rank, _tx_order, _kfk_partition, _kfk_offset)) as image
    from (
        {{ changes | indent(8) }}
    )
    where
        _op in ('c', 'u', 'r')
        and {{ is_placed() | indent(8) }}
        and {{ canonical_row(key) | indent(8) }} in (
            {%- for text in texts %}{{ lakemirror_string(text) }}{{ ', ' if not loop.last }}{% endfor -%}
        )
    group by {{ canonical_texts(key) | indent(8) }}
{% endmacro %}
