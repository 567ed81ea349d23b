def test_the_payload_is_cut_out_of_connects_json(macros, sql):
    """`schemas.enable=true`: an exact piece of the text, and any other text as it is."""
    assert sql(macros.event_text()) == sql("""
        if(
            startswith(value, '{"schema":') and contains(value, ',"payload":'),
            substr(value, locate(',"payload":', value) + 11, length(value)
                - locate(',"payload":', value) - 11),
            value
        )
    """)
