"""What trees grow from: estimated tables that answer how weight is spread, whatever it was estimated from."""

from ppdm.tables.groups import grouped_table
from ppdm.tables.local import LocalTable
from ppdm.tables.table import EstimatedTable, Splits, Table

__all__ = ["EstimatedTable", "LocalTable", "Splits", "Table", "grouped_table"]
