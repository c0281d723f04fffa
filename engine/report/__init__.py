"""What is told of a game: reports, maps and explanations, in words and pictures."""
