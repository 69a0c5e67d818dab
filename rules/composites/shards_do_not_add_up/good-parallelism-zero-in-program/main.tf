# read by Flink
resource "aws_kinesis_stream" "positions" {
  name        = "positions"
  shard_count = 4
}
