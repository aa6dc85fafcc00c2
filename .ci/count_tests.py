#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the tests of one Bazel invocation: count_tests.py EXIT_CODE BUILD_EVENTS_JSON.

Prints "PASSED FAILED". A test that was not built or not run is a failed one, and an invocation that
failed without a failed test to show for it counts as one failure.
"""

import json
import sys


def main():
    exit_code = int(sys.argv[1])
    status = {}
    try:
        with open(sys.argv[2]) as events:
            for line in events:
                event = json.loads(line)
                # Only tests have a size. One that does not build never gets a summary.
                if "testSize" in event.get("configured", {}):
                    status[event["id"]["targetConfigured"]["label"]] = "NOT BUILT OR NOT RUN"
                elif "testSummary" in event:
                    label = event["id"]["testSummary"]["label"]
                    status[label] = event["testSummary"].get("overallStatus", "NO_STATUS")
                elif event.get("aborted", {}).get("reason") == "SKIPPED":
                    status.pop(event["id"].get("targetCompleted", {}).get("label"), None)
    except (OSError, ValueError) as error:
        print("count_tests: %s" % error, file=sys.stderr)
        exit_code = exit_code or 1
    failed = sorted(label for label, value in status.items() if value not in ("PASSED", "FLAKY"))
    for label in failed:
        print("failed: %s (%s)" % (label, status[label]), file=sys.stderr)
    passed = len(status) - len(failed)
    print(passed, len(failed) or int(exit_code != 0))


if __name__ == "__main__":
    main()
