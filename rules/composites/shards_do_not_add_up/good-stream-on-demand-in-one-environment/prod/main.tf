# read by Flink
resource "aws_kinesis_stream" "positions" {
  name        = "positions"
  shard_count = 4
  stream_mode_details {
    stream_mode = "ON_DEMAND"
  }
}
