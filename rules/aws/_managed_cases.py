"""Applications of Managed Service for Apache Flink for test cases."""


def terraform(flink: str = "", rest: str = "", runtime: str = "FLINK-1_20") -> str:
    """Return a Terraform application with blocks inside (`flink`) and next to (`rest`) its Flink configuration."""
    return (
        'resource "aws_kinesisanalyticsv2_application" "orders" {\n  name = "orders"\n'
        f'  runtime_environment = "{runtime}"\n  application_configuration {{\n'
        f"    flink_application_configuration {{\n{flink}    }}\n{rest}  }}\n}}\n"
    )


def template(flink: str, rest: str = "") -> str:
    """Return a CloudFormation template with lines inside (`flink`) and next to (`rest`) its Flink configuration."""
    return (
        "AWSTemplateFormatVersion: '2010-09-09'\nParameters:\n  Interval: {Type: Number}\nResources:\n  Orders:\n"
        "    Type: AWS::KinesisAnalyticsV2::Application\n    Properties:\n      RuntimeEnvironment: FLINK-1_20\n"
        f"      ApplicationConfiguration:\n        FlinkApplicationConfiguration:\n{flink}{rest}"
    )
