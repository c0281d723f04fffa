"""The versions, each a file: its number, the one before, and what it changes."""
