"""wteaw: a referee for grand-strategy games whose rules are data."""
