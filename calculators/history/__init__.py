"""What the jobs did: metrics of months to recommendations. The Spark pipeline and what it stands on."""
