"""The arithmetic of sizing, over plain numbers: what calculators, rules and the history all call."""
