"""The clients of services whose calls wait for an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flink_flint.linter.text.lazy_regex import regex

CACHED = regex(r"(?i)cache|memo[^r]|\bgetMapState\b|\bgetState\b|\bLookup\w*Map\b")
"""What a function has that asks for most records only once."""
REMOTE: Mapping[str, Sequence[str]] = {
    "CqlSession": ("execute",),
    "Session": ("execute", "executeRead", "run"),
    "HttpClient": ("send", "execute"),
    "CloseableHttpClient": ("execute",),
    "Statement": ("executeQuery",),
    "PreparedStatement": ("executeQuery",),
    "Jedis": ("get", "hget", "hgetAll", "hmget", "mget", "smembers", "sismember", "exists"),
    "JedisCluster": ("get", "hget", "hgetAll", "hmget", "mget", "smembers", "sismember", "exists"),
    "RedisCommands": ("get", "hget", "hgetall", "hmget", "mget", "smembers"),
    "RestHighLevelClient": ("search", "get", "index"),
    "ElasticsearchClient": ("search", "get", "index"),
    "DynamoDbClient": ("getItem", "query", "putItem", "scan"),
    "AmazonDynamoDB": ("getItem", "query", "putItem", "scan"),
    "S3Client": ("getObject", "putObject"),
    "AmazonS3": ("getObject", "putObject"),
    "RestTemplate": ("getForObject", "getForEntity", "postForObject", "postForEntity", "exchange"),
}
"""The clients of services, by class, and their methods that wait for an answer."""
