"""The releases by which the files of a repository install its charts, and the values of each."""
