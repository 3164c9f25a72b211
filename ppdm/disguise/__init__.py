"""The provider's side: channels P(seen | true)."""
