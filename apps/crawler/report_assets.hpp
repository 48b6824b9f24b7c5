#pragma once

// Style and script of the HTML report. Neither contains anything of a crawl.

extern const char* const kReportStyle;
/// Sorts and filters tables; the page is complete without it.
extern const char* const kReportScript;
/// The SHA-256 of kReportScript in base64: the page allows this script and no other. After a change
/// of the script a test tells the new value.
extern const char* const kReportScriptHash;
