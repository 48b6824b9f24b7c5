#include "engine/callback_guard.hpp"

#include <exception>
#include <utility>

namespace crawler {
namespace {

using Failed = std::function<void(std::string)>;

template <typename... Arguments>
void Guard(const char* name, const Failed& failed, std::function<void(Arguments...)>* callback) {
  if (!*callback) return;
  *callback = [name, failed, inner = std::move(*callback)](Arguments... arguments) {
    try {
      inner(arguments...);
    } catch (const std::exception& error) {
      failed(std::string(name) + " threw: " + error.what());
    } catch (...) {
      failed(std::string(name) + " threw something that is no std::exception");
    }
  };
}

}  // namespace

CrawlCallbacks GuardCallbacks(CrawlCallbacks callbacks, const Failed& failed) {
  Guard("on_page", failed, &callbacks.on_page);
  Guard("on_known_page", failed, &callbacks.on_known_page);
  Guard("on_edge", failed, &callbacks.on_edge);
  Guard("on_log", failed, &callbacks.on_log);
  Guard("on_warning", failed, &callbacks.on_warning);
  return callbacks;
}

}  // namespace crawler
