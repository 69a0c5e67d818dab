"""The processes that a deployment starts, each with its image, files, limits and effective settings.

A process is built from the document that deploys it and from the documents that this one is based on. Every value has
the chain of places that set it, the one that counts first. What is not in the repository is listed as unknown.
"""
