"""Fixtures to reports: the two kernels (`validator`, `wire`) and the commands around them."""
