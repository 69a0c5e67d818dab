"""Builds the option catalogue from the real distributions of Flink, by reflection.

Each release is downloaded with pip, its classes are searched for options (`reflection`), the records are
told apart by scope and given their full key (`scope`), families no reflection can see are added
(`families`), and all releases are merged into one file (`merge`).
"""
