#!/usr/bin/env python3
"""The cases that google_robots.py finds in a source of the form of Google's robots_test.cc."""
import unittest

import google_robots

SOURCE = r'''
TEST(Suite, Constants) {
  const absl::string_view robots =
      "user-agent: A\n"
      "disallow: /\n";
  const std::string url = "http://h.example/x";
  // EXPECT_TRUE(IsUserAgentAllowed(robots, "A", "http://h.example/commented"));
  EXPECT_FALSE(IsUserAgentAllowed(robots, "A", url));
  {
    const absl::string_view robots = "";
    EXPECT_TRUE(
        IsUserAgentAllowed(robots, "A",
                           "http://h.example/\"y\""));
  }
}
TEST(Suite, LeftOut) {
  std::string robots = "user-agent: A\n";
  EXPECT_TRUE(IsUserAgentAllowed(robots, "A B", "http://h.example/"));
  EXPECT_TRUE(IsUserAgentAllowed(robots, "A", "http://h.example/ツ"));
  EXPECT_TRUE(IsUserAgentAllowed("allow: /%62\n", "A", "http://h.example/b"));
  absl::StrAppend(&robots, "more");
  EXPECT_TRUE(IsUserAgentAllowed(robots, "A", "http://h.example/"));
  EXPECT_TRUE(IsUserAgentAllowed("", "A", absl::StrCat("http://h.example", url)));
  EXPECT_TRUE(RobotsMatcher::IsValidUserAgentToObey("A"));
}
'''


class GoogleRobots(unittest.TestCase):
    def test_cases(self):
        found = [(case["test"], case["robots"], case["ua"], case["url"], case["expect"])
                 for case in google_robots.cases(SOURCE)]
        self.assertEqual(found, [
            ("Constants", "user-agent: A\ndisallow: /\n", "A", "http://h.example/x", False),
            ("Constants", "", "A", 'http://h.example/"y"', True)])


if __name__ == "__main__":
    unittest.main()
