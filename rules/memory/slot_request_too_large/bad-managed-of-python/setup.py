from setuptools import setup

setup(name="orders")
