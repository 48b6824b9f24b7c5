#include "frontier/host_delays.hpp"

#include <gtest/gtest.h>

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(HostDelays, WithoutRulesNothingIsNamed) {
  EXPECT_TRUE(HostDelays().empty());
  EXPECT_FALSE(HostDelays().Find("http://example.org"));
}

TEST(HostDelays, AHostNamesItself) {
  HostDelays delays;
  ASSERT_TRUE(delays.Add("www.example.org", seconds(5)).ok());
  EXPECT_EQ(delays.Find("https://www.example.org"), seconds(5));
  EXPECT_EQ(delays.Find("http://www.example.org:8080"), seconds(5)) << "on every port";
  EXPECT_EQ(delays.Find("http://www.example.org."), seconds(5));
  EXPECT_FALSE(delays.Find("https://example.org"));
  EXPECT_FALSE(delays.Find("https://a.www.example.org"));
  EXPECT_FALSE(delays.Find("https://notwww.example.org"));
}

TEST(HostDelays, ARegistrableDomainNamesAllItsHosts) {
  HostDelays delays;
  ASSERT_TRUE(delays.Add("example.co.uk", seconds(5)).ok());
  EXPECT_EQ(delays.Find("https://example.co.uk"), seconds(5));
  EXPECT_EQ(delays.Find("https://a.b.example.co.uk"), seconds(5));
  EXPECT_FALSE(delays.Find("https://notexample.co.uk"));
  EXPECT_FALSE(delays.Find("https://co.uk"));
}

TEST(HostDelays, AWildcardNamesTheHostsBelow) {
  HostDelays delays;
  ASSERT_TRUE(delays.Add("*.docs.example.org", seconds(5)).ok());
  EXPECT_EQ(delays.Find("https://de.docs.example.org"), seconds(5));
  EXPECT_FALSE(delays.Find("https://docs.example.org"));
  ASSERT_TRUE(delays.Add("*.uk", seconds(1)).ok()) << "also those of a public suffix";
  EXPECT_EQ(delays.Find("https://example.co.uk"), seconds(1));
}

TEST(HostDelays, TheMostExactRuleDecides) {
  HostDelays delays;
  ASSERT_TRUE(delays.Add("a.example.org", milliseconds(0)).ok());
  ASSERT_TRUE(delays.Add("*.a.example.org", seconds(2)).ok());
  ASSERT_TRUE(delays.Add("example.org", seconds(3)).ok());
  EXPECT_EQ(delays.Find("http://a.example.org"), seconds(0));
  EXPECT_EQ(delays.Find("http://x.y.a.example.org"), seconds(2));
  EXPECT_EQ(delays.Find("http://b.example.org"), seconds(3));
  ASSERT_TRUE(delays.Add("example.org", seconds(4)).ok()) << "the last one of a name counts";
  EXPECT_EQ(delays.Find("http://b.example.org"), seconds(4));
}

TEST(HostDelays, NamesAreWrittenAsUrlsWriteThem) {
  HostDelays delays;
  ASSERT_TRUE(delays.Add("B\u00fccher.Example", seconds(5)).ok());
  EXPECT_EQ(delays.Find("https://xn--bcher-kva.example"), seconds(5));
  ASSERT_TRUE(delays.Add("127.1", seconds(6)).ok());
  EXPECT_EQ(delays.Find("http://127.0.0.1:80"), seconds(6));
  ASSERT_TRUE(delays.Add("[::1]", seconds(7)).ok());
  EXPECT_EQ(delays.Find("http://[::1]:8080"), seconds(7));
  ASSERT_TRUE(delays.Add("localhost", seconds(8)).ok());
  EXPECT_EQ(delays.Find("http://localhost:8080"), seconds(8));
}

TEST(HostDelays, WhatNamesNoHostIsRefused) {
  for (const char* name : {"", "*", "*.", "a b", "http://a/", "a/b", "a:80", "*.*.a", "a.*", "[::1",
                           "*.127.0.0.1", "u@a", "a?b", "\xff"}) {
    HostDelays delays;
    const Status status = delays.Add(name, seconds(1));
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    EXPECT_NE(status.message().find("names no host"), std::string::npos);
    EXPECT_TRUE(delays.empty());
  }
}

}  // namespace
}  // namespace crawler
