"""The turn: from one input point to the next, step by step; acts, events and matrices, and what their effects
do.
"""
