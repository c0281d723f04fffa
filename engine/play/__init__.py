"""Games as they are played: begun, asked for orders, resolved, verified, taken back."""
