"""Programs that describe infrastructure (CDK, Pulumi, cdk8s), with Flink's settings in object literals."""
