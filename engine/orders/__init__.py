"""Orders: from the text of a mail to what the turn carries out; what may be ordered, and what is refused."""
