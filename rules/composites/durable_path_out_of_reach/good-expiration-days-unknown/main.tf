# for Flink
resource "aws_s3_bucket" "state" {
  bucket = "flink"
}
resource "aws_s3_bucket_lifecycle_configuration" "state" {
  bucket = aws_s3_bucket.state.id
  rule {
    id     = "old"
    status = "Enabled"
    filter {
      prefix = "a/"
    }
    expiration {
      days = var.days
    }
  }
}
