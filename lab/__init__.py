"""Many games by policies: one game in figures (`one`), a sweep over workers (`sweep`), what they come to
(`summary`).
"""
