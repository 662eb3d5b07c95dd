"""The groups of operations.

Written by `make sdk` from the routes of the API. Do not edit it.
"""
