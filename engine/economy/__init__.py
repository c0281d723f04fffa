"""What is bought, made, collected, sent and kept up, and at what price."""
