"""AWS: Amazon EMR configurations, Managed Service for Apache Flink, and CloudFormation templates."""
