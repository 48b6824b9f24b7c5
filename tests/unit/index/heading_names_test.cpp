#include "index/heading_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace crawler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HeadingNames, FunctionsAreNamedByTheirLastParts) {
  EXPECT_THAT(NamesOfHeading("os.path.join(path, *paths)\u00b6"),
              ElementsAre("os.path.join", "join", "path.join"));
  EXPECT_THAT(NamesOfHeading("class tracemalloc.Filter(inclusive)"),
              ElementsAre("tracemalloc.Filter", "Filter"));
  EXPECT_THAT(NamesOfHeading("PyObject *PyList_New(Py_ssize_t len)"), ElementsAre("PyList_New"));
  EXPECT_THAT(NamesOfHeading("std::sort"), ElementsAre("std::sort", "sort"));
  EXPECT_THAT(NamesOfHeading("std::stoi, std::stol"),
              ElementsAre("std::stoi", "stoi", "std::stol", "stol"));
  EXPECT_THAT(NamesOfHeading("a.b.c.d.e"), ElementsAre("a.b.c.d.e", "e", "d.e", "c.d.e"));
}

TEST(HeadingNames, WhatExplainsIsNoPartOfTheName) {
  EXPECT_THAT(NamesOfHeading("wal_level (enum)"), ElementsAre("wal_level"));
  EXPECT_THAT(NamesOfHeading("os.name = 'posix'"), ElementsAre("os.name", "name"));
  EXPECT_THAT(NamesOfHeading("exception KeyError"), ElementsAre("exception KeyError", "KeyError"));
  EXPECT_THAT(NamesOfHeading("sched \u2014 Event scheduler"), ElementsAre("sched"));
  EXPECT_THAT(NamesOfHeading("Notes: what to know"), ElementsAre("Notes"));
}

TEST(HeadingNames, NumbersOfChaptersAreNoPartOfTheName) {
  EXPECT_THAT(NamesOfHeading("27.2.5. Streaming Replication"),
              ElementsAre("Streaming Replication"));
  EXPECT_THAT(NamesOfHeading("Chapter\u00a09.\u00a0Functions"), ElementsAre("Functions"));
  EXPECT_THAT(NamesOfHeading("9.1.\u00a0Logical Operators"), ElementsAre("Logical Operators"));
  EXPECT_THAT(NamesOfHeading("A.2. Installing"), ElementsAre("Installing"));
  EXPECT_THAT(NamesOfHeading("404 Not Found"), ElementsAre("404 Not Found"));
  EXPECT_THAT(NamesOfHeading("3.14"), ElementsAre("3.14"));
  EXPECT_THAT(NamesOfHeading(" \n "), IsEmpty());
  EXPECT_THAT(NamesOfHeading("(see below)"), IsEmpty());
}

TEST(HeadingNames, TermsAreThoseOfTheWordsAsTheyAreWritten) {
  NameTerms terms;
  const NameTerm join = terms.Of("os.path.join");
  EXPECT_EQ(join.term.size(), 3u);
  EXPECT_EQ(join.term.front(), kNameTermMark);
  EXPECT_EQ(terms.Of("OS path  Join()"), join);
  EXPECT_EQ(terms.Of("Caf\u00e9"), terms.Of("cafe"));
  std::set<NameTerm> others;
  for (const char* name : {"vars", "var", "path.join", "join", "push_back", "push back", "back"}) {
    EXPECT_TRUE(others.insert(terms.Of(name)).second) << name;
  }
  EXPECT_FALSE(others.contains(join));
  EXPECT_EQ(terms.Of("() ::").term, "");
  EXPECT_EQ(terms.Of("one two three four five six seven eight nine").term, "");
  // Stored indexes have it.
  const NameTerm stored = terms.Of("streaming replication");
  EXPECT_EQ(stored.term, "\x01[H");
  EXPECT_EQ(stored.place, 961637u);
}

}  // namespace
}  // namespace crawler
