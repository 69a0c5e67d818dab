# read by Flink
resource "aws_kinesis_stream" "enriched" {
  name        = "enriched"
  shard_count = 4
}
