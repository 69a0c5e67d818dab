variable "parallelism" {
  type    = number
  default = 8
}

resource "aws_kinesisanalyticsv2_application" "clicks" {
  name                   = "shop-clicks"
  runtime_environment    = "FLINK-1_20"
  service_execution_role = aws_iam_role.clicks.arn

  application_configuration {
    application_code_configuration {
      code_content_type = "ZIPFILE"
      code_content {
        s3_content_location {
          bucket_arn = aws_s3_bucket.jars.arn
          file_key   = "clicks-1.4.jar"
        }
      }
    }

    application_snapshot_configuration {
      # flint: ignore[managed-snapshots-disabled] clicks of the last hour are worth nothing
      snapshots_enabled = false
    }

    environment_properties {
      property_group {
        property_group_id = "ClicksSource"
        property_map = {
          "stream.arn"           = "arn:aws:kinesis:eu-west-1:123456789012:stream/clicks"
          "aws.region"           = "eu-west-1"
          "source.init.position" = "LATEST"
        }
      }
    }

    flink_application_configuration {
      checkpoint_configuration {
        configuration_type            = "DEFAULT"
        checkpointing_enabled         = true
        checkpoint_interval           = 300000
      }
      parallelism_configuration {
        configuration_type   = "CUSTOM"
        parallelism          = var.parallelism
        parallelism_per_kpu  = 1
        auto_scaling_enabled = true
      }
    }
  }
}
