"""What the materializations and operations do: each run is a page of Python that reads as a recipe.

SQL is written by the macros and asked for by name; here is decided what is run, and in which order.
"""
