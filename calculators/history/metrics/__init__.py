"""Names of Flink's metrics, as reporters of all releases write them."""
