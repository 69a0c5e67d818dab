"""Kafka, Kinesis, and RabbitMQ clients that a program creates."""
