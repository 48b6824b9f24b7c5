#include "html_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "html_text.hpp"
#include "numbers.hpp"

namespace {

using crawler::CrawlThroughput;

constexpr double kWidth = 1000, kHeight = 200;

double SecondsOf(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

// The next round number that is not less: 1, 1.5, 2, 2.5, 3, 4, … 10, 15, …
double RoundUp(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
    if (step * power >= value) return step * power;
  }
  return 10 * power;
}

std::string AxisNumber(double value) {
  if (value >= 1000) return Thousands(static_cast<std::uint64_t>(value));
  return fmt::format("{:g}", value);
}

/// A plot of numbers per second; the last slot may be shorter than the others.
class RatePlot {
 public:
  explicit RatePlot(const CrawlThroughput& throughput)
      : data_(throughput), total_(std::max(1e-3, SecondsOf(throughput.total))) {
    for (std::size_t i = 0; i < data_.slots.size(); ++i) {
      most_ = std::max({most_, Rate(data_.slots[i].pages, i), Rate(data_.slots[i].errors, i)});
    }
    most_ = RoundUp(most_);
  }

  std::string Draw() const {
    return fmt::format(
        "<div class=\"plot\"><div class=\"y\"><span>{}</span><span>{}</span><span>0</span></div>"
        "<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\""
        " aria-label=\"Pages and errors per second over time\">{}</svg>"
        "<div class=\"x\"><span>0:00</span><span>{}</span><span>{}</span></div></div>\n",
        AxisNumber(most_), AxisNumber(most_ / 2), kWidth, kHeight, Shapes(), Clock(total_ / 2),
        Clock(total_));
  }

 private:
  double Begin(std::size_t slot) const {
    return static_cast<double>(slot) * SecondsOf(data_.width);
  }
  double End(std::size_t slot) const { return std::min(Begin(slot + 1), total_); }
  double Rate(std::uint64_t count, std::size_t slot) const {
    // The last requests of a crawl may fall into a moment; a rate of that would say nothing.
    const double seconds = std::max(End(slot) - Begin(slot), SecondsOf(data_.width) / 2);
    return static_cast<double>(count) / seconds;
  }
  double X(double seconds) const { return seconds / total_ * kWidth; }
  double Y(double rate) const { return kHeight - rate / most_ * kHeight; }

  std::string Points(std::uint64_t CrawlThroughput::Slot::*number) const {
    std::string points;
    for (std::size_t i = 0; i < data_.slots.size(); ++i) {
      const double y = Y(Rate(data_.slots[i].*number, i));
      points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", X(Begin(i)), y, X(End(i)), y);
    }
    return points;
  }

  std::string Shapes() const {
    std::string out;
    for (const double y : {0.0, kHeight / 2, kHeight}) {
      out += fmt::format("<line class=\"grid\" x1=\"0\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>", kWidth, y,
                         y);
    }
    const std::string pages = Points(&CrawlThroughput::Slot::pages);
    out += fmt::format("<polygon class=\"area\" points=\"0,{} {}{},{}\"/>", kHeight, pages, kWidth,
                       kHeight);
    out += fmt::format("<polyline class=\"line\" points=\"{}\"/>", pages);
    const bool errors = std::any_of(data_.slots.begin(), data_.slots.end(),
                                    [](const auto& slot) { return slot.errors > 0; });
    if (errors) {
      out += fmt::format("<polyline class=\"errors\" points=\"{}\"/>",
                         Points(&CrawlThroughput::Slot::errors));
    }
    for (const std::chrono::milliseconds at : data_.resumed_at) {
      const double x = X(SecondsOf(at));
      out += fmt::format("<line class=\"run\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"0\" y2=\"{}\"/>", x,
                         x, kHeight);
    }
    return out + Slots();
  }

  // The values of a slot appear when the pointer is on it.
  std::string Slots() const {
    std::string out;
    for (std::size_t i = 0; i < data_.slots.size(); ++i) {
      const CrawlThroughput::Slot& slot = data_.slots[i];
      const double x = X(Begin(i)), width = std::max(0.0, X(End(i)) - x);
      out += fmt::format(
          "<g class=\"slot\"><title>{} to {}: {} pages, {} requests, {} errors, {}</title>"
          "<rect x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{}\"/>"
          "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"0\" y2=\"{}\"/></g>",
          Clock(Begin(i)), Clock(End(i)), Thousands(slot.pages), Thousands(slot.requests),
          Thousands(slot.errors), Bytes(static_cast<double>(slot.bytes)), x, width, kHeight,
          x + width / 2, x + width / 2, kHeight);
    }
    return out;
  }

  const CrawlThroughput& data_;
  double total_;
  double most_ = 0;
};

}  // namespace

std::string ThroughputPlot(const CrawlThroughput& throughput) {
  if (throughput.slots.empty() || throughput.total.count() == 0) return "";
  return RatePlot(throughput).Draw();
}

std::string BarPlot(const std::vector<Bar>& bars) {
  std::uint64_t most = 1;
  for (const Bar& bar : bars) most = std::max(most, bar.count);
  std::string out = "<table class=\"bars\"><tbody>\n";
  for (const Bar& bar : bars) {
    const double percent = 100 * static_cast<double>(bar.count) / static_cast<double>(most);
    out += fmt::format(
        "<tr><td class=\"name\">{}</td><td class=\"num\">{}{}</td>"
        "<td class=\"bar\"><i class=\"{}\" style=\"--w:{:.1f}%\"></i></td></tr>\n",
        Html(bar.name), Thousands(bar.count), bar.note.empty() ? "" : " · " + Html(bar.note),
        bar.count == 0 ? "none"
        : bar.bad      ? "bad"
                       : "",
        percent);
  }
  return out + "</tbody></table>\n";
}
