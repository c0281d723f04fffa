"""Recorded games of other programs, replayed and turned into games of ours. One module for each format."""
