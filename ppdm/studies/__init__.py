"""The papers' experiments at their own scale: what the notebooks run small, and quote in full from results/."""
