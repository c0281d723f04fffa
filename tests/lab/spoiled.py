"""The series of spoiled rulesets that is tried with every change; `make fuzz` tries many more."""

SHORT = {"1914": (60, 2), "alliances-4": (30, 4), "diplomacy": (20, 3), "third-edition-1914": (10, 1)}
"""Scenario -> mutations, and how many of those that validate are played."""
