"""What rules on durable directories need besides Flink's own files: bucket lifecycles and volume claims."""

from __future__ import annotations

import pytest

from flink_flint.linter.formats import file_format_of
from flink_flint.linter.model.document import Document


def read(name: str, text: str) -> list[Document]:
    """Return the documents of a file, read by the format that recognizes it."""
    file_format = file_format_of(name, text)
    assert file_format is not None
    return file_format.read(name, text.encode())


def found(documents: list[Document], kind: str) -> list[tuple[str, dict[str, object], list[str]]]:
    """Return elements by name, with their attributes and the texts in their spans."""
    return [
        (
            element.name,
            {name: attribute.value for name, attribute in element.attributes.items()},
            [document.text[slice(*attribute.span)] for attribute in element.attributes.values()],
        )
        for document in documents
        for element in document.elements
        if element.kind == kind
    ]


_LIFECYCLE = """# é: for Flink
resource "aws_s3_bucket" "state" {
  bucket = "flink"
}
resource "aws_s3_bucket_lifecycle_configuration" "state" {
  bucket = %s
  rule {
    id     = "old"
    status = "%s"
    %s
    expiration {
      days = 7
    }
  }
  rule {
    id     = "parts"
    status = "Enabled"
    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }
}
"""


@pytest.mark.parametrize(
    ("bucket", "name"),
    [
        ('"flink"', "flink"), ("aws_s3_bucket.state.id", "flink"), ("aws_s3_bucket.state.bucket", "flink"),
        ("aws_s3_bucket.other.id", ""), ("var.bucket", ""),
    ],
)  # fmt: skip
def test_a_lifecycle_of_terraform_goes_by_its_bucket(bucket: str, name: str) -> None:
    documents = read("main.tf", _LIFECYCLE % (bucket, "Enabled", 'filter {\n      prefix = "a/"\n    }'))
    assert found(documents, "expiry") == [(name, {"days": 7, "prefix": "a/"}, ["7", '"a/"'])]
    assert [(document.whole, document.name) for document in documents] == [(False, "buckets")]


@pytest.mark.parametrize(
    ("status", "chosen", "expected"),
    [
        ("Enabled", "", [{"days": 7}]),
        ("Enabled", "filter {}", [{"days": 7}]),
        ("Enabled", "filter {\n      prefix = var.prefix\n    }", [{"days": 7, "prefix": None}]),
        ("Enabled", 'prefix = "a/"', [{"days": 7, "prefix": "a/"}]),
        ("Disabled", "", []),
        ("Enabled", 'filter {\n      tag {\n        key = "old"\n      }\n    }', []),
        ("Enabled", 'filter {\n      and {\n        prefix = "a/"\n      }\n    }', []),
    ],
)
def test_rules_that_are_off_or_for_some_objects_are_left_out(status: str, chosen: str, expected: list[object]) -> None:
    documents = read("main.tf", _LIFECYCLE % ('"flink"', status, chosen))
    assert [attributes for _, attributes, _ in found(documents, "expiry")] == expected


def test_a_lifecycle_of_an_older_provider_is_part_of_the_bucket() -> None:
    text = (
        'resource "aws_s3_bucket" "flink" {\n  bucket = "flink"\n  lifecycle_rule {\n    enabled = true\n'
        '    prefix  = "a/"\n    expiration {\n      days = 3\n    }\n  }\n}\n'
    )
    assert found(read("main.tf", text), "expiry") == [("flink", {"days": 3, "prefix": "a/"}, ["3", '"a/"'])]
    assert found(read("main.tf", text.replace("true", "false") + _LIFECYCLE % ("var.b", "Enabled", "")), "expiry") == [
        ("", {"days": 7}, ["7"])
    ]


def test_a_lifecycle_of_cloud_formation() -> None:
    text = (
        "# for Flink\nResources:\n  State:\n    Type: AWS::S3::Bucket\n    Properties:\n      BucketName: flink\n"
        "      LifecycleConfiguration:\n        Rules:\n"
        "          - {Status: Enabled, Prefix: a/, ExpirationInDays: 7}\n"
        "          - {Status: Disabled, ExpirationInDays: 7}\n"
    )
    assert found(read("stack.yaml", text), "expiry") == [("flink", {"days": 7, "prefix": "a/"}, ["7", "a/"])]


def test_buckets_without_flink_are_left_alone() -> None:
    assert file_format_of("main.tf", _LIFECYCLE.replace("Flink", "us").replace("flink", "state")) is None
    assert file_format_of("stack.yaml", "Resources:\n  S:\n    Type: AWS::S3::Bucket\n# for Flink\n") is None


def test_a_claim_reports_how_many_nodes_may_mount_its_volume() -> None:
    text = (
        "# é: of Flink\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: state\nspec:\n"
        "  accessModes:\n    - ReadWriteOnce\n    - '{{ mode }}'\n"
    )
    (document,) = read("claim.yaml", text)
    ((name, attributes, written),) = found([document], "volume-claim")
    assert (name, attributes["access[0]"], written[0]) == ("state", "ReadWriteOnce", "ReadWriteOnce")
    assert not document.whole
    assert document.entries == []


def test_a_claim_without_a_name_or_modes_is_left_alone() -> None:
    file_format = file_format_of("claim.yaml", "kind: PersistentVolumeClaim\napiVersion: v1\n# flink\n")
    assert file_format is not None
    for text in ("metadata: {name: flink}", "spec: {accessModes: [ReadWriteOnce]}"):
        assert file_format.read("claim.yaml", f"apiVersion: v1\nkind: PersistentVolumeClaim\n{text}\n".encode()) == []
