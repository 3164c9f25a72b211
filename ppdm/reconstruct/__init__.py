"""The miner's side: from what is seen to estimated tables of true values."""
