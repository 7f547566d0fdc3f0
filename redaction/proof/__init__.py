"""The gate and the scan: finished bytes, proved by code that made none of them."""
