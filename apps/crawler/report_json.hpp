#pragma once

#include <crawler/crawler.hpp>
#include <string>

/// `report` as one JSON object; see JsonText().
std::string ToJson(const crawler::PageReport& report);
