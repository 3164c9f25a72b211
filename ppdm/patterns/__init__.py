"""What goes together in transactions: frequent sets of items and the rules between them."""

from ppdm.patterns.associations import association_rules
from ppdm.patterns.itemsets import frequent_itemsets

__all__ = ["association_rules", "frequent_itemsets"]
