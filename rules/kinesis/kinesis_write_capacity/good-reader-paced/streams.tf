# read and written by Flink
resource "aws_kinesis_stream" "positions" {
  name = "positions"
  shard_count = 8
}
# read and written by Flink
resource "aws_kinesis_stream" "enriched" {
  name = "enriched"
  shard_count = 4
}
