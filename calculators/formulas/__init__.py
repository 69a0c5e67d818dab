"""Sizing formulas for plain numbers, shared by calculators, rules and history."""
