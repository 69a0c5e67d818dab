"""Builds the option catalogue from the released distributions of Flink, by reflection.

Each release is downloaded with pip, its classes are searched for options (`reflection`), the records are classified by
scope and given their full key (`scope`), keys that reflection cannot find are added (`undeclared_keys`), and all
releases are merged into one file (`merge`).
"""
