#pragma once

#include <crawler/crawler.hpp>
#include <string>

/// `report` as one JSON object, indented; bytes that are not UTF-8 become U+FFFD.
std::string ToJson(const crawler::PageReport& report);
