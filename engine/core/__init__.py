"""What is so and how it is recorded: state, journal, dice, proofs, findings; the compiled ruleset; what is
registered.
"""
