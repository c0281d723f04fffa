"""One implementation of battles, batched: the real battle is a batch of one, Monte Carlo and exact odds are
batches of states.

`plan` turns a row of the form `battles` and the units that meet into a `Plan`: groups of equal units, stages
with the values of every group as functions of who is alive. `rounds` fights a round of a batch with a
sampler: `RealDice`, `MonteCarlo` or `Exact`. Nothing here changes a state or knows a game.
"""
