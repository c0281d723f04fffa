"""The commands of the laboratory, each imported when it is called."""
