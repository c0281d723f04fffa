"""Auditors: a played game is recomputed from its journal and its tables, by code that shares nothing with
the referee.

An auditor answers one question of a game (`run.AUDITORS`). It is given what was played (`played.Played`) and
writes what it finds into its `book.Book`. What it cannot compute by itself it skips, and says how often and
why. This room imports `core/` alone, so that no mistake of the referee is a mistake of its auditors, too; the
rows of a ruleset it reads as the plain data that they are.
"""
