"""The port of the operator's validator, compared with the validators of the operator's releases."""
