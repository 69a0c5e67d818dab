"""The option keys of the Java constants in Flink, its connectors, and their clients."""

from __future__ import annotations

import os
import re
from functools import cache

from flink_flint.linter import flink
from flink_flint.linter.formats.source.constant_folding import Symbol
from flink_flint.linter.text.lazy_regex import regex

_AWS = {
    "AWS_REGION": "aws.region",
    "AWS_ENDPOINT": "aws.endpoint",
    "AWS_CREDENTIALS_PROVIDER": "aws.credentials.provider",
    "AWS_ACCESS_KEY_ID": "aws.credentials.provider.basic.accesskeyid",
    "AWS_SECRET_ACCESS_KEY": "aws.credentials.provider.basic.secretkey",
    "AWS_PROFILE_PATH": "aws.credentials.provider.profile.path",
    "AWS_PROFILE_NAME": "aws.credentials.provider.profile.name",
    "AWS_ROLE_ARN": "aws.credentials.provider.role.arn",
    "AWS_ROLE_SESSION_NAME": "aws.credentials.provider.role.sessionName",
    "AWS_ROLE_EXTERNAL_ID": "aws.credentials.provider.role.externalId",
    "TRUST_ALL_CERTIFICATES": "aws.trust.all.certificates",
    "HTTP_PROTOCOL_VERSION": "aws.http.protocol.version",
    "HTTP_CLIENT_MAX_CONCURRENCY": "aws.http-client.max-concurrency",
    "HTTP_CLIENT_READ_TIMEOUT_MILLIS": "aws.http-client.read-timeout",
}
_BACKOFF = {"BASE": "base", "MAX": "max", "EXPONENTIAL_CONSTANT": "expconst"}
_RETRIED = {
    "STREAM_DESCRIBE": "flink.stream.describe",
    "LIST_SHARDS": "flink.list.shards",
    "DESCRIBE_STREAM_CONSUMER": "flink.stream.describestreamconsumer",
    "REGISTER_STREAM": "flink.stream.registerstreamconsumer",
    "DEREGISTER_STREAM": "flink.stream.deregisterstreamconsumer",
    "SUBSCRIBE_TO_SHARD": "flink.shard.subscribetoshard",
    "SHARD_GETRECORDS": "flink.shard.getrecords",
    "SHARD_GETITERATOR": "flink.shard.getiterator",
}
_CONSUMER = {
    **_AWS,
    **{f"{name}_RETRIES": f"{key}.maxretries" for name, key in _RETRIED.items()},
    **{f"{n}_BACKOFF_{end}": f"{key}.backoff.{word}" for n, key in _RETRIED.items() for end, word in _BACKOFF.items()},
    **{
        f"{name}_TIMEOUT_SECONDS": f"{_RETRIED[name]}.timeout"
        for name in ("REGISTER_STREAM", "DEREGISTER_STREAM", "SUBSCRIBE_TO_SHARD")
    },
    "RECORD_PUBLISHER_TYPE": "flink.stream.recordpublisher",
    "EFO_CONSUMER_NAME": "flink.stream.efo.consumername",
    "EFO_REGISTRATION_TYPE": "flink.stream.efo.registration",
    "EFO_CONSUMER_ARN_PREFIX": "flink.stream.efo.consumerarn",
    "EFO_HTTP_CLIENT_MAX_CONCURRENCY": "flink.stream.efo.http-client.max-concurrency",
    "EFO_HTTP_CLIENT_READ_TIMEOUT_MILLIS": "flink.stream.efo.http-client.read-timeout",
    "STREAM_INITIAL_POSITION": "flink.stream.initpos",
    "STREAM_INITIAL_TIMESTAMP": "flink.stream.initpos.timestamp",
    "STREAM_TIMESTAMP_DATE_FORMAT": "flink.stream.initpos.timestamp.format",
    "SHARD_GETRECORDS_MAX": "flink.shard.getrecords.maxrecordcount",
    "SHARD_GETRECORDS_INTERVAL_MILLIS": "flink.shard.getrecords.intervalmillis",
    "SHARD_DISCOVERY_INTERVAL_MILLIS": "flink.shard.discovery.intervalmillis",
    "SHARD_USE_ADAPTIVE_READS": "flink.shard.adaptivereads",
    "SHARD_IDLE_INTERVAL_MILLIS": "flink.shard.idle.interval",
    "WATERMARK_SYNC_MILLIS": "flink.watermark.sync.interval",
    "WATERMARK_LOOKAHEAD_MILLIS": "flink.watermark.lookahead.millis",
    "WATERMARK_SYNC_QUEUE_CAPACITY": "flink.watermark.sync.queue.capacity",
}
_SOURCE = {
    "STREAM_INITIAL_POSITION": "source.init.position",
    "STREAM_INITIAL_TIMESTAMP": "source.init.timestamp",
    "STREAM_TIMESTAMP_DATE_FORMAT": "source.init.timestamp.format",
    "SHARD_DISCOVERY_INTERVAL": "source.shard.discovery.interval",
    "SHARD_GET_RECORDS_MAX": "source.shard.get-records.max-record-count",
    "READER_TYPE": "source.reader.type",
    "READER_EMPTY_RECORDS_FETCH_INTERVAL": "source.reader.empty-records-fetch-interval",
    "READER_NON_EMPTY_RECORDS_FETCH_INTERVAL": "source.reader.nonempty-records-fetch-interval",
    "EFO_CONSUMER_LIFECYCLE": "source.efo.lifecycle",
    "EFO_CONSUMER_NAME": "source.efo.consumer.name",
    "EFO_CONSUMER_SUBSCRIPTION_TIMEOUT": "source.efo.subscription.timeout",
    "EFO_DESCRIBE_CONSUMER_RETRY_STRATEGY_MIN_DELAY_OPTION": "source.efo.describe.retry-strategy.delay.min",
    "EFO_DESCRIBE_CONSUMER_RETRY_STRATEGY_MAX_DELAY_OPTION": "source.efo.describe.retry-strategy.delay.max",
    "EFO_DESCRIBE_CONSUMER_RETRY_STRATEGY_MAX_ATTEMPTS_OPTION": "source.efo.describe.retry-strategy.attempts.max",
}
_KAFKA = {
    "METADATA_MAX_AGE_CONFIG": "metadata.max.age.ms",
    "METADATA_MAX_IDLE_CONFIG": "metadata.max.idle.ms",
    "SEND_BUFFER_CONFIG": "send.buffer.bytes",
    "RECEIVE_BUFFER_CONFIG": "receive.buffer.bytes",
    "TRANSACTION_TIMEOUT_CONFIG": "transaction.timeout.ms",
    "KEY_DESERIALIZER_CLASS_CONFIG": "key.deserializer",
    "VALUE_DESERIALIZER_CLASS_CONFIG": "value.deserializer",
    "KEY_SERIALIZER_CLASS_CONFIG": "key.serializer",
    "VALUE_SERIALIZER_CLASS_CONFIG": "value.serializer",
    "MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION": "max.in.flight.requests.per.connection",
    "SASL_JAAS_CONFIG": "sasl.jaas.config",
    "SASL_MECHANISM": "sasl.mechanism",
}
"""Keys of the Kafka constants whose names are not the key in upper case followed by ``_CONFIG``."""
_TABLES: dict[str, dict[str, str]] = {
    "ConsumerConfigConstants": _CONSUMER,
    "AWSConfigConstants": _AWS,
    "KinesisSourceConfigOptions": _SOURCE,
    "KinesisStreamsSourceConfigConstants": _SOURCE,
    "FlinkKafkaConsumerBase": {
        "KEY_PARTITION_DISCOVERY_INTERVAL_MILLIS": "flink.partition-discovery.interval-millis",
        "KEY_DISABLE_METRICS": "flink.disable-metrics",
    },
    "KafkaSourceOptions": {
        "CLIENT_ID_PREFIX": "client.id.prefix",
        "PARTITION_DISCOVERY_INTERVAL_MS": "partition.discovery.interval.ms",
        "REGISTER_KAFKA_CONSUMER_METRICS": "register.consumer.metrics",
        "COMMIT_OFFSETS_ON_CHECKPOINT": "commit.offsets.on.checkpoint",
    },
}  # fmt: skip
_TABLES["FlinkKafkaConsumer"] = _TABLES["FlinkKafkaConsumerBase"]
_KAFKA_CLASSES = frozenset({
    *("ConsumerConfig", "ProducerConfig", "CommonClientConfigs", "SaslConfigs", "SslConfigs", "AdminClientConfig"),
})  # fmt: skip


_OF_REGISTRY = regex(r"(?:Abstract)?Kafka\w{0,20}(?:SerDe|Serializer|Deserializer)Config")
"""Classes of Confluent's serializers, which name their constants like Kafka does."""


def key_of(symbol: Symbol, imports: frozenset[str]) -> str | None:
    """Return the option key of a constant in Flink, a connector, or a client; None if it is unknown."""
    if symbol.owner:
        return _of(symbol.owner, symbol.name)
    for imported in imports:  # a static import
        parts = imported.split(".")
        if len(parts) > 1 and parts[-1] in ("*", "_", symbol.name):
            key = _of(parts[-2], symbol.name)
            if key is not None:
                return key
    return None


def _of(owner: str, name: str) -> str | None:
    table = _TABLES.get(owner)
    if table is not None:
        return table.get(name)
    if owner in _KAFKA_CLASSES or _OF_REGISTRY.fullmatch(owner):
        if name in _KAFKA:
            return _KAFKA[name]
        return name.removesuffix("_CONFIG").lower().replace("_", ".") if name.endswith("_CONFIG") else None
    return option_key(owner, name) if re.search(r"Option|Config|Constants", owner) else None


@cache
def _constants() -> dict[str, dict[str, str]]:
    import json

    with open(os.path.join(os.path.dirname(flink.__file__), "option_constants.json"), encoding="utf-8") as stream:
        loaded: dict[str, dict[str, str]] = json.load(stream)
    return loaded


def option_key(owner: str, name: str) -> str | None:
    """Return the key of a Flink option constant (`CheckpointingOptions.CHECKPOINTS_DIRECTORY`); None if unknown."""
    return _constants().get(owner, {}).get(name)
