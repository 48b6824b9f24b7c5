// The decoders of the Encoding Standard for Chinese, Japanese and Korean legacy encodings. In an
// invalid sequence a trailing ASCII byte is not consumed, so that a page cannot hide mark-up behind
// a lone lead byte.
#include <optional>
#include <vector>

#include "parse/charset_decoders.hpp"
#include "parse/charset_tables.hpp"

namespace crawler {
namespace {

bool InRange(unsigned byte, unsigned low, unsigned high) { return byte >= low && byte <= high; }

// The character at `pointer` of `index`, or 0.
char32_t Lookup(const std::vector<char32_t>& index, size_t pointer) {
  return pointer < index.size() ? index[pointer] : 0;
}

// Decodes a pair of a lead byte and the byte `trail` behind it: writes the character, or an error,
// which does not consume `trail` if that is ASCII. Returns the bytes consumed.
ptrdiff_t PutPair(char32_t code_point, uint8_t trail, Utf8Sink& out) {
  if (code_point != 0) {
    out.Put(code_point);
    return 2;
  }
  out.PutError();
  return trail < 0x80 ? 1 : 2;
}

char32_t Gb18030FourBytes(const uint8_t* at) {
  const uint32_t pointer =
      ((at[0] - 0x81u) * 10 + at[1] - 0x30u) * 1260 + (at[2] - 0x81u) * 10 + at[3] - 0x30u;
  constexpr uint32_t kAstral = 189000;
  if (pointer < kAstral) return Lookup(Gb18030Ranges(), pointer);
  const char32_t code_point = 0x10000 + pointer - kAstral;
  return code_point <= 0x10FFFF ? code_point : 0;
}

// A sequence at `at` that begins with a lead byte and a digit. Returns the bytes consumed.
ptrdiff_t PutGb18030FourBytes(const uint8_t* at, const uint8_t* end, Utf8Sink& out) {
  const bool third_fits = end - at < 3 || InRange(at[2], 0x81, 0xFE);
  const bool fourth_fits = end - at < 4 || InRange(at[3], 0x30, 0x39);
  if (!third_fits || !fourth_fits) {
    out.PutError();
    return 1;
  }
  if (end - at < 4) {
    out.PutError();
    return end - at;
  }
  const char32_t code_point = Gb18030FourBytes(at);
  if (code_point == 0) {
    out.PutError();
  } else {
    out.Put(code_point);
  }
  return 4;
}

char32_t ShiftJisPair(unsigned lead, unsigned trail, const std::vector<char32_t>& index) {
  if (!InRange(trail, 0x40, 0xFC) || trail == 0x7F) return 0;
  const size_t pointer =
      (lead - (lead < 0xA0 ? 0x81 : 0xC1)) * 188 + trail - (trail < 0x7F ? 0x40 : 0x41);
  constexpr size_t kUserDefined = 8836;
  constexpr size_t kUserDefinedEnd = 10716;
  if (pointer >= kUserDefined && pointer < kUserDefinedEnd) {
    return static_cast<char32_t>(0xE000 + pointer - kUserDefined);
  }
  return Lookup(index, pointer);
}

// The state of ISO-2022-JP: which characters the bytes stand for, as set by escape sequences.
class Iso2022JpDecoder {
 public:
  explicit Iso2022JpDecoder(Utf8Sink& out) : out_(out) {}

  // Decodes what is at `at`; returns the bytes consumed.
  ptrdiff_t Step(const uint8_t* at, const uint8_t* end) {
    if (*at == kEscape) return Escape(at, end);
    after_escape_ = false;
    switch (mode_) {
      case Mode::kAscii:
      case Mode::kRoman:
        return PutSingle(*at);
      case Mode::kKatakana:
        if (InRange(*at, 0x21, 0x5F)) {
          out_.Put(0xFF61 + *at - 0x21u);
        } else {
          out_.PutError();
        }
        return 1;
      case Mode::kJis0208:
        return PutJis0208(at, end);
    }
    return 1;
  }

 private:
  enum class Mode { kAscii, kRoman, kKatakana, kJis0208 };
  static constexpr uint8_t kEscape = 0x1B;

  static std::optional<Mode> ModeOf(uint8_t first, uint8_t second) {
    if (first == '(' && second == 'B') return Mode::kAscii;
    if (first == '(' && second == 'J') return Mode::kRoman;
    if (first == '(' && second == 'I') return Mode::kKatakana;
    if (first == '$' && (second == '@' || second == 'B')) return Mode::kJis0208;
    return std::nullopt;
  }

  ptrdiff_t Escape(const uint8_t* at, const uint8_t* end) {
    const std::optional<Mode> mode = end - at >= 3 ? ModeOf(at[1], at[2]) : std::nullopt;
    if (!mode) {
      after_escape_ = false;
      out_.PutError();
      return 1;
    }
    // Two in a row with nothing between them are an attempt to hide something.
    if (after_escape_) out_.PutError();
    after_escape_ = true;
    mode_ = *mode;
    return 3;
  }

  ptrdiff_t PutSingle(uint8_t byte) {
    if (byte >= 0x80 || byte == 0x0E || byte == 0x0F) {
      out_.PutError();
    } else if (mode_ == Mode::kRoman && byte == 0x5C) {
      out_.Put(0x00A5);
    } else if (mode_ == Mode::kRoman && byte == 0x7E) {
      out_.Put(0x203E);
    } else {
      out_.Put(byte);
    }
    return 1;
  }

  ptrdiff_t PutJis0208(const uint8_t* at, const uint8_t* end) {
    if (!InRange(at[0], 0x21, 0x7E)) {
      out_.PutError();
      return 1;
    }
    if (end - at < 2 || at[1] == kEscape) {
      out_.PutError();
      return 1;
    }
    const char32_t code_point = InRange(at[1], 0x21, 0x7E)
                                    ? Lookup(Jis0208Index(), (at[0] - 0x21u) * 94 + at[1] - 0x21u)
                                    : 0;
    if (code_point == 0) {
      out_.PutError();
    } else {
      out_.Put(code_point);
    }
    return 2;
  }

  Utf8Sink& out_;
  Mode mode_ = Mode::kAscii;
  bool after_escape_ = false;
};

}  // namespace

void DecodeGb18030(const uint8_t* at, const uint8_t* end, Utf8Sink& out) {
  const std::vector<char32_t>& index = Gb18030Index();
  while (at != end && !out.full()) {
    if (*at < 0x80) {
      at = out.CopyAscii(at, end);
      continue;
    }
    if (*at == 0x80) {
      out.Put(0x20AC);
      ++at;
    } else if (*at == 0xFF || end - at < 2) {
      out.PutError();
      ++at;
    } else if (InRange(at[1], 0x30, 0x39)) {
      at += PutGb18030FourBytes(at, end, out);
    } else {
      const uint8_t trail = at[1];
      const bool fits = InRange(trail, 0x40, 0xFE) && trail != 0x7F;
      const size_t pointer = (at[0] - 0x81u) * 190 + trail - (trail < 0x7F ? 0x40u : 0x41u);
      at += PutPair(fits ? Lookup(index, pointer) : 0, trail, out);
    }
  }
}

void DecodeBig5(const uint8_t* at, const uint8_t* end, Utf8Sink& out) {
  const std::vector<char32_t>& index = Big5Index();
  while (at != end && !out.full()) {
    if (*at < 0x80) {
      at = out.CopyAscii(at, end);
      continue;
    }
    if (!InRange(*at, 0x81, 0xFE) || end - at < 2) {
      out.PutError();
      ++at;
      continue;
    }
    const uint8_t trail = at[1];
    const bool fits = InRange(trail, 0x40, 0x7E) || InRange(trail, 0xA1, 0xFE);
    const size_t pointer = (at[0] - 0x81u) * 157 + trail - (trail < 0x7F ? 0x40u : 0x62u);
    // Four pointers stand for a letter and a combining mark.
    if (fits && (pointer == 1133 || pointer == 1135 || pointer == 1164 || pointer == 1166)) {
      out.Put(pointer < 1150 ? 0x00CA : 0x00EA);
      out.Put(pointer == 1133 || pointer == 1164 ? 0x0304 : 0x030C);
      at += 2;
      continue;
    }
    at += PutPair(fits ? Lookup(index, pointer) : 0, trail, out);
  }
}

void DecodeEucJp(const uint8_t* at, const uint8_t* end, Utf8Sink& out) {
  const std::vector<char32_t>& jis0208 = Jis0208Index();
  while (at != end && !out.full()) {
    if (*at < 0x80) {
      at = out.CopyAscii(at, end);
      continue;
    }
    const uint8_t lead = at[0];
    const bool is_lead = lead == 0x8E || lead == 0x8F || InRange(lead, 0xA1, 0xFE);
    if (!is_lead || end - at < 2) {
      out.PutError();
      ++at;
      continue;
    }
    const uint8_t trail = at[1];
    if (lead == 0x8E) {
      at += PutPair(InRange(trail, 0xA1, 0xDF) ? 0xFF61 + trail - 0xA1u : 0, trail, out);
    } else if (lead == 0x8F && InRange(trail, 0xA1, 0xFE)) {
      if (end - at < 3) {
        out.PutError();
        return;
      }
      const bool fits = InRange(at[2], 0xA1, 0xFE);
      const size_t pointer = (trail - 0xA1u) * 94 + at[2] - 0xA1u;
      at += 1 + PutPair(fits ? Lookup(Jis0212Index(), pointer) : 0, at[2], out);
    } else {
      const bool fits = lead != 0x8F && InRange(trail, 0xA1, 0xFE);
      const size_t pointer = (lead - 0xA1u) * 94 + trail - 0xA1u;
      at += PutPair(fits ? Lookup(jis0208, pointer) : 0, trail, out);
    }
  }
}

void DecodeIso2022Jp(const uint8_t* at, const uint8_t* end, Utf8Sink& out) {
  Iso2022JpDecoder decoder(out);
  while (at != end && !out.full()) at += decoder.Step(at, end);
}

void DecodeShiftJis(const uint8_t* at, const uint8_t* end, Utf8Sink& out) {
  const std::vector<char32_t>& index = Jis0208Index();
  while (at != end && !out.full()) {
    if (*at < 0x80) {
      at = out.CopyAscii(at, end);
      continue;
    }
    const uint8_t lead = at[0];
    if (lead == 0x80) {
      out.Put(0x80);
      ++at;
    } else if (InRange(lead, 0xA1, 0xDF)) {
      out.Put(0xFF61 + lead - 0xA1u);
      ++at;
    } else if (lead == 0xA0 || lead > 0xFC || end - at < 2) {
      out.PutError();
      ++at;
    } else {
      at += PutPair(ShiftJisPair(lead, at[1], index), at[1], out);
    }
  }
}

void DecodeEucKr(const uint8_t* at, const uint8_t* end, Utf8Sink& out) {
  const std::vector<char32_t>& index = EucKrIndex();
  while (at != end && !out.full()) {
    if (*at < 0x80) {
      at = out.CopyAscii(at, end);
      continue;
    }
    if (!InRange(*at, 0x81, 0xFE) || end - at < 2) {
      out.PutError();
      ++at;
      continue;
    }
    const uint8_t trail = at[1];
    const size_t pointer = (at[0] - 0x81u) * 190 + trail - 0x41u;
    at += PutPair(InRange(trail, 0x41, 0xFE) ? Lookup(index, pointer) : 0, trail, out);
  }
}

}  // namespace crawler
