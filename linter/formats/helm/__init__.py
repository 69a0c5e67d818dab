"""Values files of Helm charts: of the Flink operator, of applications, and of Ververica Platform."""
