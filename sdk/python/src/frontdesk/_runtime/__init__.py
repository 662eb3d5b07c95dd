"""What every resource shares: calls with retries, pages, streams, and how JSON becomes objects.

Nothing here belongs to one resource. The rules (`retry`, `model`, `encode`, `server_sent`) do no input or output, so
the client and its asynchronous twin follow the same ones.
"""
