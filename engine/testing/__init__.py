"""Rule tests: cases in YAML, played and compared with what they expect; and which rules they cover."""
