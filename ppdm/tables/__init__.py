"""What trees grow from: estimated tables that answer how weight is spread, whatever it was estimated from."""

from ppdm.tables.groups import grouped_table
from ppdm.tables.local import LocalTable
from ppdm.tables.table import EstimatedTable, Level, Splits

__all__ = ["EstimatedTable", "Level", "LocalTable", "Splits", "grouped_table"]
