#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What count_tests.py makes of the ways in which a Bazel invocation can end."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "count_tests.py")


def configured(label):
    return {"id": {"targetConfigured": {"label": label}}, "configured": {"testSize": "SMALL"}}


def summary(label, status):
    return {"id": {"testSummary": {"label": label}}, "testSummary": {"overallStatus": status}}


def skipped(label):
    return {"id": {"targetCompleted": {"label": label}}, "aborted": {"reason": "SKIPPED"}}


class CountTest(unittest.TestCase):
    def count(self, exit_code, *events):
        with tempfile.NamedTemporaryFile("w") as file:
            file.writelines(json.dumps(event) + "\n" for event in events)
            file.flush()
            return self.count_file(exit_code, file.name)

    def count_file(self, exit_code, path):
        return subprocess.run(
            [sys.executable, COUNT, str(exit_code), path],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()

    def test_passed_and_flaky_pass_everything_else_fails(self):
        events = []
        for status in ["PASSED", "FLAKY", "FAILED", "TIMEOUT", "INCOMPLETE"]:
            events += [configured("//x:" + status), summary("//x:" + status, status)]
        self.assertEqual(self.count(3, *events), "2 3")

    def test_a_test_that_does_not_build_fails(self):
        self.assertEqual(
            self.count(1, configured("//x:a"), configured("//x:b"), summary("//x:a", "PASSED")),
            "1 1")

    def test_a_skipped_test_does_not_count(self):
        self.assertEqual(
            self.count(0, configured("//x:a"), configured("//x:b"), summary("//x:a", "PASSED"),
                       skipped("//x:b")),
            "1 0")

    def test_a_failure_without_a_failed_test_is_one(self):
        self.assertEqual(self.count(1), "0 1")
        self.assertEqual(self.count(37, configured("//x:a"), summary("//x:a", "PASSED")), "1 1")

    def test_no_events_no_success(self):
        self.assertEqual(self.count_file(0, "/nonexistent/events.json"), "0 1")


if __name__ == "__main__":
    unittest.main()
