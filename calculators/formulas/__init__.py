"""The arithmetic of sizing on plain numbers, shared by calculators, rules and history."""
