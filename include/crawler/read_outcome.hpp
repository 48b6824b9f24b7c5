/// How reading the folder of a crawl ended.
#pragma once

#include <cstdint>
#include <string>

namespace crawler {

struct ReadOutcome {
  enum class Kind : std::uint8_t {
    kDone,
    kStopped,     ///< By ReadLimits::stopped, or by the sink.
    kTimeout,     ///< ReadLimits::max_time is over.
    kBadRequest,  ///< An argument makes no sense: the SQL, the name, the URL, the query.
    kNotFound,    ///< There is no crawl, or not what was asked for.
    kNotReady,    ///< A part of the index is missing; IndexCrawl() makes it.
    kBusy,        ///< Another process has locked the folder or its database.
    kStorage,     ///< The folder cannot be read, or a file not be written.
    kNoMemory,    ///< Memory ran out.
  };
  Kind kind = Kind::kDone;
  std::string error;       ///< A sentence; empty if done.
  std::uint64_t rows = 0;  ///< Rows, nodes and edges, or files that were handed out.
};

}  // namespace crawler
