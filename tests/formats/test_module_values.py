"""Variables and locals of other files of a Terraform module, and files of variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from flink_flint.linter.formats.terraform.terraform import FILE_FORMAT

MAIN = """resource "aws_kinesisanalyticsv2_application" "orders" {
  name                = "orders"
  runtime_environment = local.runtime
  application_configuration {
    flink_application_configuration {
      parallelism_configuration {
        configuration_type = "CUSTOM"
        parallelism        = var.sizes["orders"]
      }
      checkpoint_configuration {
        configuration_type  = "CUSTOM"
        checkpoint_interval = var.interval
      }
    }
  }
}
"""
SHARED = """variable "interval" {}
variable "sizes" { default = { orders = 3 } }
locals { runtime = "FLINK-1_20" }
"""


def settings(folder: Path, **files: str) -> dict[str, str]:
    """Return the settings of a module with the given files of variables, named with ``_`` for the dot."""
    (folder / "main.tf").write_text(MAIN)
    (folder / "shared.tf").write_text(SHARED)
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (document,) = FILE_FORMAT.read(str(folder / "main.tf"), MAIN.encode())
    assert document.release == ("1.20", "runtime environment FLINK-1_20")
    return {key: text for key, text in document.settings().items() if not key.endswith("min-pause")}


def test_defaults_and_locals_of_other_files_are_known(tmp_path: Path) -> None:
    found = settings(tmp_path)
    assert found["parallelism.default"] == "3"
    assert found["execution.checkpointing.interval"] == "${var.interval}"


@pytest.mark.parametrize(
    ("files", "interval"),
    [
        ({"terraform_tfvars": "interval = 1"}, "1 ms"),
        ({"terraform_tfvars": "interval = 1", "a_auto_tfvars": "interval = 2"}, "2 ms"),
        ({"a_auto_tfvars": "interval = 2", "b_auto_tfvars": "interval = 3"}, "3 ms"),
        ({"terraform_tfvars_json": '{"interval": 4}', "terraform_tfvars": "interval = 1"}, "4 ms"),
        ({"terraform_tfvars": "interval = 1", "dev_tfvars": "interval = 5"}, "5 ms"),
        ({"dev_tfvars": "interval = 5", "test_tfvars": "interval = 5"}, "5 ms"),
        ({"dev_tfvars": "interval = 5", "test_tfvars": "interval = 6"}, "${var.interval}"),
        ({"dev_tfvars": "interval = 5", "test_tfvars": ""}, "${var.interval}"),
        ({"dev_tfvars": "interval = 5", "prod_tfvars": "interval = 6"}, "6 ms"),
        ({"envs__dev_tfvars": "interval = 5", "envs__production_tfvars": "interval = 6"}, "6 ms"),
        ({"terraform_tfvars": "interval = [1"}, "${var.interval}"),
    ],
)
def test_files_of_variables_override_one_another_as_terraform_has_it(
    files: dict[str, str], interval: str, tmp_path: Path
) -> None:
    assert settings(tmp_path, **files)["execution.checkpointing.interval"] == interval


def test_a_value_of_another_file_is_placed_at_the_reference(tmp_path: Path) -> None:
    settings(tmp_path, terraform_tfvars="sizes = { orders = 9 }")
    (document,) = FILE_FORMAT.read(str(tmp_path / "main.tf"), MAIN.encode())
    found = document.effective["parallelism.default"]
    assert (found.text, MAIN[slice(*found.value_span)]) == ("9", 'var.sizes["orders"]')


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    assert settings(tmp_path, terraform_tfvars="interval = 1")["execution.checkpointing.interval"] == "1 ms"
    assert settings(tmp_path, terraform_tfvars="interval = 22")["execution.checkpointing.interval"] == "22 ms"


def test_references_in_a_circle_across_files_end(tmp_path: Path) -> None:
    (tmp_path / "a.tf").write_text("locals { runtime = local.other }\n")
    (tmp_path / "b.tf").write_text("locals { other = local.runtime }\n")
    (document,) = FILE_FORMAT.read(str(tmp_path / "main.tf"), MAIN.encode())
    assert document.release is None


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("interval = 7\n")
    module = tmp_path / "module"
    (module / ".git").mkdir(parents=True)
    (module / "terraform.tfvars").symlink_to(tmp_path / "secret")
    assert settings(module)["execution.checkpointing.interval"] == "${var.interval}"
