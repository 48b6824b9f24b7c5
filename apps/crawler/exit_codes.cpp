#include "exit_codes.hpp"

#include <cerrno>

ExitCode ExitCodeOfReading(crawler::ReadOutcome::Kind kind) {
  using Kind = crawler::ReadOutcome::Kind;
  switch (kind) {
    case Kind::kDone:
      return kExitOk;
    case Kind::kBadRequest:
      return kExitUsage;
    case Kind::kStorage:
      return kExitStorage;
    case Kind::kBusy:
      return kExitBusy;
    case Kind::kNotReady:
      return kExitNotReady;
    case Kind::kNoMemory:
      return kExitNoMemory;
    case Kind::kStopped:
    case Kind::kTimeout:
    case Kind::kNotFound:
      break;
  }
  return kExitFailed;
}

ExitCode ExitCodeOfWriting(int error) { return error == EPIPE ? kExitFailed : kExitStorage; }
