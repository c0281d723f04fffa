"""Units under orders: forces, movement, tasks at sea and in the air, contact, who holds a place."""
