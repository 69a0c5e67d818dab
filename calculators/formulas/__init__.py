"""Sizing formulas on plain numbers, shared by calculators, rules and history."""
