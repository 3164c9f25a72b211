"""What was given up and what was kept."""
