"""Clients of Kafka, Kinesis and RabbitMQ that a program creates."""
