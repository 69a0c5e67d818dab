"""Applications of the managed service for the cases of its rules."""


def terraform(flink: str = "", rest: str = "", runtime: str = "FLINK-1_20") -> str:
    """A Terraform resource with these blocks in its Flink configuration, and these beside it."""
    return (
        'resource "aws_kinesisanalyticsv2_application" "orders" {\n  name = "orders"\n'
        f'  runtime_environment = "{runtime}"\n  application_configuration {{\n'
        f"    flink_application_configuration {{\n{flink}    }}\n{rest}  }}\n}}\n"
    )


def template(flink: str, rest: str = "") -> str:
    """A CloudFormation template with these lines in the Flink configuration, and these beside it."""
    return (
        "AWSTemplateFormatVersion: '2010-09-09'\nParameters:\n  Interval: {Type: Number}\nResources:\n  Orders:\n"
        "    Type: AWS::KinesisAnalyticsV2::Application\n    Properties:\n      RuntimeEnvironment: FLINK-1_20\n"
        f"      ApplicationConfiguration:\n        FlinkApplicationConfiguration:\n{flink}{rest}"
    )
