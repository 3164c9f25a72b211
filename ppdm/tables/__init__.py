"""What trees grow from: estimated tables that answer how weight is spread, whatever it was estimated from."""

from ppdm.tables.table import EstimatedTable, Splits, Table

__all__ = ["EstimatedTable", "Splits", "Table"]
