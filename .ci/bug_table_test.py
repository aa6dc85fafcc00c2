#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each thing that bug_table.py must see."""

import unittest

import bug_table

SOURCE = """// BUGS 1.5 (velox#18480): a count
// that was kept; 2.7.
TEST(NullsTest, AreCounted) {}
"""


def row(number, tests):
    return "| %s | velox#1 | what | rule | %s |\n" % (number, tests)


class BugTableTest(unittest.TestCase):
    def faults(self, table, source=SOURCE):
        return [fault for _, fault in bug_table.faults(table, {"a_test.cc": source})]

    def test_a_table_and_tests_that_agree_pass(self):
        table = row("1.5", "`a_test.cc` AreCounted") + row("2.7", "`a_test.cc` AreCounted")
        self.assertEqual(self.faults(table + row("3.9", "later")), [])

    def test_a_cited_number_must_stand_in_the_table(self):
        self.assertEqual(self.faults(row("1.5", "`a_test.cc` AreCounted")),
                         ["cites BUGS 2.7, which docs/bugs.md does not have"])

    def test_file_and_test_must_exist_and_cite_the_number(self):
        source = "// BUGS 1.5\nTEST_F(A, B) {}\n// 2.5 is no citation\n"
        self.assertEqual(self.faults(row("1.5", "`b_test.cc` B"), source),
                         ["b_test.cc is not there"])
        self.assertEqual(self.faults(row("1.5", "`a_test.cc` Bee"), source),
                         ["a_test.cc has no test Bee"])
        self.assertEqual(self.faults(row("1.5", "`a_test.cc` B; none"), source),
                         ["`none` is not a file in backticks and a test"])
        self.assertEqual(self.faults(row("1.5", "`a_test.cc` B") + row("2.5", "`a_test.cc` B"),
                                     source), ["a_test.cc does not cite 2.5"])

    def test_reports_about_memory_are_not_cited_but_have_tests(self):
        source = "TEST_F(A, B) {}\n"
        self.assertEqual(self.faults(row("M7", "`a_test.cc` B"), source), [])
        self.assertEqual(self.faults(row("M7", "`a_test.cc` C"), source),
                         ["a_test.cc has no test C"])

    def test_what_is_cited_is_not_later(self):
        self.assertEqual(self.faults(row("1.5", "later"), "// BUGS 1.5\n"),
                         ["1.5 is later, but a_test.cc cites it: name the test"])

    def test_a_number_stands_once(self):
        self.assertEqual(self.faults(row("1.5", "later") * 2, ""), ["1.5 stands twice"])

    def test_a_range_cites_what_lies_between(self):
        self.assertEqual(bug_table.cited("// BUGS 13.113 to 13.115 and 14.2\n"),
                         {"13.113", "13.114", "13.115", "14.2"})


if __name__ == "__main__":
    unittest.main()
