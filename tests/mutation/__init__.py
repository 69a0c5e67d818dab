"""Breaks the rules' conditions one by one and sees whether their cases notice: `make mutation`."""
