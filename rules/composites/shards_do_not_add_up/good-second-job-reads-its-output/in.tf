# read by Flink
resource "aws_kinesis_stream" "trucks" {
  name        = "trucks"
  shard_count = 3
}
# read by Flink
resource "aws_kinesis_stream" "vans" {
  name        = "vans"
  shard_count = 2
}
