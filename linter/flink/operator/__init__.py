"""What the Apache Flink Kubernetes Operator makes of a resource: a port of its validator, release by release."""
