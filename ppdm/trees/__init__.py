"""Classifiers grown from estimated tables."""
