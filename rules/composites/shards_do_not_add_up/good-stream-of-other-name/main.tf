# read by Flink
resource "aws_kinesis_stream" "speeds" {
  name        = "speeds"
  shard_count = 4
}
