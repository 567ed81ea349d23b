{{ config(materialized='ephemeral') }}

select
    * except (op, rank, _kfk_topic),
    '' as _undecodable,
    {{ tx_rank('generic', '0L', 'rank', '0L') }},
    op as _op
from {{ changes(source('folded', 'rows')) }}
