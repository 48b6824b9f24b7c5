#pragma once

#include <nlohmann/json.hpp>

/// One function per set of the conformance data. Each takes a case as the set's file gives it and
/// returns the answer in the form that check.py expects, without the "id": conformance.cpp copies
/// that. A case that lacks a field throws (json::at does); the program then names the line.
namespace crawler {

/// {"input", "base": string or null} -> {"href"}, or {"failure": true}.
nlohmann::json AnswerUrl(const nlohmann::json& test_case);

/// {"robots" or "robots_b64", "ua", "url", "kind"} -> {"allowed"}, {"crawl_delay"} or {"sitemaps"}.
nlohmann::json AnswerRobots(const nlohmann::json& test_case);

/// {"robots", "checks": [{"ua", "url"}]} -> {"allowed": [bool]}.
nlohmann::json AnswerRealworld(const nlohmann::json& test_case);

/// {"html", "url"} -> {"links": [{"tag", "attr", "url"}]}.
nlohmann::json AnswerLinks(const nlohmann::json& test_case);

/// {"body" or "body_b64", "url", "content_type", "gzip"} -> {"urls"} and what else was read.
nlohmann::json AnswerSitemaps(const nlohmann::json& test_case);

/// {"kind": "url" or "ip", "url" or "ip"} -> {"blocked": bool}.
nlohmann::json AnswerSsrf(const nlohmann::json& test_case);

}  // namespace crawler
