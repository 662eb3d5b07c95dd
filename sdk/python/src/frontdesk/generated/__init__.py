"""What depends on the API's routes.

Written by `make sdk` from the routes of the API. Do not edit it.
"""
