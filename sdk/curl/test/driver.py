"""Runs the samples by curl: `driver.py samples`, with the input as JSON on the standard input.

The outcome is JSON on the standard output. e2e/tests/e2e/sdk_cases.rs judges it.
"""

import json
import os
import subprocess
import sys

# A stream has no end; curl's exit code for a time-out is then a success.
WRAPPED = """
curl() {
    case "$*" in
        *--no-buffer*) command curl --max-time 2 "$@" || [ $? -eq 28 ] ;;
        *) command curl --silent --show-error --fail-with-body "$@" ;;
    esac
}
. ./samples.sh
"$1"
"""


def run(operation, values, given):
    environment = os.environ | values
    environment |= {"FRONTDESK_BASE_URL": given["base_url"], "FRONTDESK_API_KEY": given["api_key"]}
    done = subprocess.run(["bash", "-euc", WRAPPED, "sample", operation], env=environment, capture_output=True, text=True)
    return "ok" if done.returncode == 0 else done.stdout + done.stderr


given = json.load(sys.stdin)
assert sys.argv[1:] == ["samples"], "only samples are run by curl"
outcomes = {operation: run(operation, values, given) for operation, values in given["values"].items()}
print(json.dumps({"outcomes": outcomes}))
