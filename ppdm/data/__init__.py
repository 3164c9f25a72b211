"""Records to study."""
