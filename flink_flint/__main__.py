"""`python -m flink_flint`: the same as `flint`."""

from flink_flint.linter.__main__ import main

if __name__ == "__main__":
    main()
