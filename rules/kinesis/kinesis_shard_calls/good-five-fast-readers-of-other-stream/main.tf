resource "aws_kinesisanalyticsv2_application" "positions" {
  name                = "positions"
  runtime_environment = "FLINK-1_20"
  application_configuration {
    environment_properties {
      property_group {
        property_group_id = "InputStream0"
        property_map = {
          "stream.name" = "positions"
          "aws.region" = "eu-west-1"
          "flink.stream.initpos" = "LATEST"
        }
      }
    }
  }
}
