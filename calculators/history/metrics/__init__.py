"""Names of Flink's metrics, as the metric reporters of all releases write them."""
