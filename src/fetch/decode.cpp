#include "fetch/decode.hpp"

#include <brotli/decode.h>
#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <utility>

namespace crawler {
namespace {

// A growing piece of memory that is not cleared first: bodies are decoded into it.
class Buffer {
 public:
  char* data() { return data_.get(); }
  std::size_t capacity() const { return capacity_; }

  // Makes room for `wanted` bytes and keeps the first `used`.
  void Grow(std::size_t wanted, std::size_t used) {
    if (wanted <= capacity_) return;
    std::unique_ptr<char[]> grown(new char[wanted]);
    if (used > 0) std::memcpy(grown.get(), data_.get(), used);
    data_ = std::move(grown);
    capacity_ = wanted;
  }

  // One large body must not hold its memory for ever.
  void Trim() {
    if (capacity_ <= kKept) return;
    data_.reset();
    capacity_ = 0;
  }

 private:
  static constexpr std::size_t kKept = std::size_t{4} << 20;
  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
};

// The output of one coding, bounded. Streaming decoders ask for room until it says stop.
class Sink {
 public:
  Sink(Buffer& buffer, const DecodeLimits& limits) : buffer_(buffer), limits_(limits) {}

  std::size_t size() const { return size_; }
  void AddInput(std::size_t count) { consumed_ += count; }
  char* at() { return buffer_.data() + size_; }
  std::size_t room() const { return buffer_.capacity() - size_; }
  void Add(std::size_t count) { size_ += count; }
  void Cut() { size_ = std::min(size_, limits_.max_output); }

  // Whether the output is over max_ratio times the input.
  bool Absurd() const { return Absurd(consumed_); }
  bool Absurd(std::size_t consumed) const {
    return size_ > limits_.ratio_floor && size_ / limits_.max_ratio > consumed;
  }
  // One byte more than allowed, so that "exactly the limit" and "more" can be told apart.
  std::size_t limit() const { return limits_.max_output + 1; }
  bool full() const { return size_ >= limit(); }

  // Makes room for at least one more byte; false at the limit.
  bool MakeRoom(std::size_t wanted) {
    if (full()) return false;
    const std::size_t target = std::clamp(wanted, size_ + 1, limit());
    buffer_.Grow(target, size_);
    return true;
  }

 private:
  Buffer& buffer_;
  const DecodeLimits& limits_;
  std::size_t size_ = 0;
  std::size_t consumed_ = 0;
};

constexpr std::size_t kFirstRoom = std::size_t{64} << 10;

enum class StepState { kMore, kNeedsInput, kEnd, kDamaged, kNoMemory };

struct Step {
  StepState state;
  std::size_t consumed;
  std::size_t produced;
};

// Runs a streaming decoder: `step(input, output, room)` decodes the next part. Stops at the end of
// the stream, at damage, or at a limit.
DecodeOutcome Stream(std::string_view input, Sink& sink,
                     const std::function<Step(std::string_view, char*, std::size_t)>& step) {
  while (true) {
    if (sink.room() == 0 && !sink.MakeRoom(std::max(sink.size() * 2, kFirstRoom))) {
      sink.Cut();
      return DecodeOutcome::kTooLarge;
    }
    const std::size_t room = std::min(sink.room(), sink.limit() - sink.size());
    if (room == 0) {  // The buffer is larger than the limit, left over from another body.
      sink.Cut();
      return DecodeOutcome::kTooLarge;
    }
    const Step done = step(input, sink.at(), room);
    input.remove_prefix(done.consumed);
    sink.AddInput(done.consumed);
    sink.Add(done.produced);
    if (sink.Absurd()) return DecodeOutcome::kBomb;
    switch (done.state) {
      case StepState::kEnd:
        if (!sink.full()) return DecodeOutcome::kComplete;
        sink.Cut();
        return DecodeOutcome::kTooLarge;
      case StepState::kDamaged:
        return sink.size() > 0 ? DecodeOutcome::kIncomplete : DecodeOutcome::kFailed;
      case StepState::kNeedsInput:
        if (input.empty() && done.produced < room) return DecodeOutcome::kIncomplete;
        break;
      case StepState::kNoMemory:
        throw std::bad_alloc();
      case StepState::kMore:
        break;
    }
    // A decoder that neither reads nor writes although it could would spin for ever.
    if (done.consumed == 0 && done.produced == 0) return DecodeOutcome::kIncomplete;
  }
}

bool LooksLikeGzip(std::string_view input) { return input.starts_with("\x1f\x8b"); }

bool LooksLikeZlib(std::string_view input) {  // RFC 1950, 2.2
  if (input.size() < 2) return false;
  const auto first = static_cast<unsigned char>(input[0]);
  const auto second = static_cast<unsigned char>(input[1]);
  return (first & 0x0f) == 8 && (first * 256 + second) % 31 == 0;
}

// Whether `input` starts with a frame or a skippable frame (RFC 8878, 3.1).
bool LooksLikeZstd(std::string_view input) {
  return input.starts_with("\x28\xb5\x2f\xfd") ||
         (input.size() >= 4 && (input[0] & 0xf0) == 0x50 && input.substr(1, 3) == "\x2a\x4d\x18");
}

// Brotli's codes for memory are neighbours.
bool IsShortage(BrotliDecoderErrorCode code) {
  return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
         code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

// Window arguments that select the wrapper in zlib.
constexpr int kGzipWindow = 15 + 16, kZlibWindow = 15, kRawWindow = -15;

// Slow path for bodies that are damaged, cut off or too large: libdeflate gives no partial output.
DecodeOutcome StreamDeflate(std::string_view input, int window, Sink& sink) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, &inflateEnd);
  return Stream(input, sink, [&stream](std::string_view rest, char* out, std::size_t room) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(std::min(rest.size(), kMost));
    stream.next_out = reinterpret_cast<Bytef*>(out);
    stream.avail_out = static_cast<uInt>(std::min(room, kMost));
    const uInt in_before = stream.avail_in, out_before = stream.avail_out;
    const int status = inflate(&stream, Z_NO_FLUSH);
    StepState state = StepState::kDamaged;
    if (status == Z_STREAM_END) state = StepState::kEnd;
    if (status == Z_MEM_ERROR) state = StepState::kNoMemory;
    if (status == Z_OK || status == Z_BUF_ERROR) {
      state = stream.avail_in == 0 ? StepState::kNeedsInput : StepState::kMore;
    }
    return Step{state, in_before - stream.avail_in, out_before - stream.avail_out};
  });
}

}  // namespace

class Decoder::Impl {
 public:
  Impl() : deflate_(libdeflate_alloc_decompressor()), zstd_(ZSTD_createDCtx()) {
    if (deflate_ == nullptr || zstd_ == nullptr) throw std::bad_alloc();
    // A larger window than 8 MiB is not allowed in HTTP (RFC 9659).
    ZSTD_DCtx_setParameter(zstd_.get(), ZSTD_d_windowLogMax, 23);
  }

  DecodeOutcome Decode(std::string_view input, const std::vector<ContentCoding>& applied,
                       const DecodeLimits& limits, std::string* output) {
    const std::size_t received = input.size();
    DecodeOutcome outcome = DecodeOutcome::kComplete;
    std::string_view current = input;
    for (auto coding = applied.rbegin(); coding != applied.rend(); ++coding) {
      if (current.empty()) {  // An empty body is empty under any coding.
        output->clear();      // It held an earlier layer.
        break;
      }
      Sink sink(buffer_, limits);
      DecodeOutcome step = DecodeOne(current, *coding, sink);
      if (sink.Absurd(received)) step = DecodeOutcome::kBomb;
      if (step == DecodeOutcome::kBomb || step == DecodeOutcome::kFailed) {
        output->clear();
        buffer_.Trim();
        return step;
      }
      // A cut or damaged inner layer lets the outer ones end early; the first reason counts.
      if (outcome == DecodeOutcome::kComplete) outcome = step;
      output->assign(buffer_.data(), sink.size());
      if (coding + 1 != applied.rend()) {
        layer_.swap(*output);
        current = layer_;
      }
    }
    if (applied.empty() || input.empty()) output->assign(input);
    if (layer_.capacity() > std::size_t{4} << 20) std::string().swap(layer_);
    buffer_.Trim();
    return outcome;
  }

 private:
  struct FreeDeflate {
    void operator()(libdeflate_decompressor* decompressor) const {
      libdeflate_free_decompressor(decompressor);
    }
  };
  struct FreeZstd {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  DecodeOutcome DecodeOne(std::string_view input, ContentCoding coding, Sink& sink) {
    switch (coding) {
      case ContentCoding::kGzip:
        return Gunzip(input, sink);
      case ContentCoding::kDeflate:
        return Inflate(input, sink);
      case ContentCoding::kBrotli:
        return Brotli(input, sink);
      case ContentCoding::kZstd:
        return Zstd(input, sink);
    }
    return DecodeOutcome::kFailed;
  }

  // Decodes member by member. If libdeflate fails, zlib decodes again, for its partial output.
  DecodeOutcome Gunzip(std::string_view input, Sink& sink) {
    std::size_t wanted = GunzippedSize(input);
    for (std::size_t at = 0; at < input.size();) {
      const std::string_view member = input.substr(at);
      if (at > 0 && !LooksLikeGzip(member)) break;  // Garbage behind the last member.
      const std::optional<std::size_t> used =
          Whole(member, sink, wanted,
                [this](std::string_view in, char* out, std::size_t room, std::size_t* consumed,
                       std::size_t* produced) {
                  return libdeflate_gzip_decompress_ex(deflate_.get(), in.data(), in.size(), out,
                                                       room, consumed, produced);
                });
      if (!used) return StreamDeflate(member, kGzipWindow, sink);
      sink.AddInput(*used);
      at += *used;
      wanted = 0;
    }
    return DecodeOutcome::kComplete;
  }

  DecodeOutcome Inflate(std::string_view input, Sink& sink) {
    const bool wrapped = LooksLikeZlib(input);
    const auto decompress =
        wrapped ? libdeflate_zlib_decompress_ex : libdeflate_deflate_decompress_ex;
    const std::optional<std::size_t> used = Whole(
        input, sink, input.size() * 4,
        [this, decompress](std::string_view in, char* out, std::size_t room, std::size_t* consumed,
                           std::size_t* produced) {
          return decompress(deflate_.get(), in.data(), in.size(), out, room, consumed, produced);
        });
    if (used) return DecodeOutcome::kComplete;
    const DecodeOutcome outcome = StreamDeflate(input, wrapped ? kZlibWindow : kRawWindow, sink);
    if (outcome != DecodeOutcome::kFailed || !wrapped) return outcome;
    return StreamDeflate(input, kRawWindow, sink);  // It only looked wrapped.
  }

  // The uncompressed size that the end of a gzip file claims; only a hint.
  static std::size_t GunzippedSize(std::string_view input) {
    if (input.size() < 18) return 0;
    std::uint32_t size = 0;
    for (int i = 4; i >= 1; --i) {
      size = size >> 8 |
             static_cast<std::uint32_t>(static_cast<unsigned char>(input[input.size() - i])) << 24;
    }
    // Deflate cannot compress better than 1032 to 1.
    return size / 1032 > input.size() ? 0 : size;
  }

  // Decodes one whole stream with libdeflate, with more and more room. Returns what it consumed,
  // or nothing if that does not work within the limits.
  template <typename Decompress>
  std::optional<std::size_t> Whole(std::string_view input, Sink& sink, std::size_t wanted,
                                   Decompress decompress) {
    if (wanted == 0) wanted = input.size() * 4;
    wanted = std::max(wanted, std::size_t{4096}) + sink.size();
    while (sink.MakeRoom(wanted)) {
      const std::size_t room = std::min(sink.room(), sink.limit() - sink.size());
      std::size_t consumed = 0, produced = 0;
      const libdeflate_result result = decompress(input, sink.at(), room, &consumed, &produced);
      if (result == LIBDEFLATE_SUCCESS) {
        if (sink.size() + produced >= sink.limit()) return std::nullopt;
        sink.Add(produced);
        return consumed;
      }
      if (result != LIBDEFLATE_INSUFFICIENT_SPACE || sink.size() + room >= sink.limit()) {
        return std::nullopt;
      }
      wanted = (sink.size() + room) * 4;
    }
    return std::nullopt;
  }

  DecodeOutcome Brotli(std::string_view input, Sink& sink) {
    const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
        BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), &BrotliDecoderDestroyInstance);
    if (state == nullptr) throw std::bad_alloc();
    return Stream(input, sink, [&state](std::string_view rest, char* out, std::size_t room) {
      // In small pieces: what one gives is out before the next is found bad.
      rest = rest.substr(0, 4096);
      std::size_t in_left = rest.size(), out_left = room;
      const auto* next_in = reinterpret_cast<const std::uint8_t*>(rest.data());
      auto* next_out = reinterpret_cast<std::uint8_t*>(out);
      const BrotliDecoderResult result = BrotliDecoderDecompressStream(
          state.get(), &in_left, &next_in, &out_left, &next_out, nullptr);
      StepState next = StepState::kDamaged;
      if (IsShortage(BrotliDecoderGetErrorCode(state.get()))) next = StepState::kNoMemory;
      if (result == BROTLI_DECODER_RESULT_SUCCESS) next = StepState::kEnd;
      if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) next = StepState::kNeedsInput;
      if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) next = StepState::kMore;
      return Step{next, rest.size() - in_left, room - out_left};
    });
  }

  DecodeOutcome Zstd(std::string_view input, Sink& sink) {
    ZSTD_DCtx_reset(zstd_.get(), ZSTD_reset_session_only);
    return Stream(input, sink, [this](std::string_view rest, char* out, std::size_t room) {
      ZSTD_inBuffer in{rest.data(), rest.size(), 0};
      ZSTD_outBuffer next{out, room, 0};
      const std::size_t status = ZSTD_decompressStream(zstd_.get(), &next, &in);
      StepState state = StepState::kMore;
      if (ZSTD_isError(status)) {
        const bool no_memory = ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation;
        state = no_memory ? StepState::kNoMemory : StepState::kDamaged;
      } else if (status == 0) {
        // The end of a frame. More frames continue the body, garbage ends it.
        state = LooksLikeZstd(rest.substr(in.pos)) ? StepState::kMore : StepState::kEnd;
      } else if (in.pos == in.size) {
        state = StepState::kNeedsInput;
      }
      return Step{state, in.pos, next.pos};
    });
  }

  std::unique_ptr<libdeflate_decompressor, FreeDeflate> deflate_;
  std::unique_ptr<ZSTD_DCtx, FreeZstd> zstd_;
  Buffer buffer_;
  std::string layer_;  // The input of the next step of a chain.
};

Decoder::Decoder() : impl_(std::make_unique<Impl>()) {}
Decoder::~Decoder() = default;

DecodeOutcome Decoder::Decode(std::string_view input, const std::vector<ContentCoding>& applied,
                              const DecodeLimits& limits, std::string* output) {
  return impl_->Decode(input, applied, limits, output);
}

ContentCodings ReadContentCodings(const HeaderBlock& headers) {
  ContentCodings codings;
  for (std::string_view list : headers.FindAll("content-encoding")) {
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      const std::string_view name = TrimBlanks(list.substr(0, comma));
      list.remove_prefix(std::min(comma + 1, list.size()));
      if (name.empty() || EqualsIgnoringCase(name, "identity")) continue;
      if (codings.applied.size() == kMaxContentCodings) {
        codings.too_many = true;
        return codings;
      }
      if (EqualsIgnoringCase(name, "gzip") || EqualsIgnoringCase(name, "x-gzip")) {
        codings.applied.push_back(ContentCoding::kGzip);
      } else if (EqualsIgnoringCase(name, "deflate")) {
        codings.applied.push_back(ContentCoding::kDeflate);
      } else if (EqualsIgnoringCase(name, "br")) {
        codings.applied.push_back(ContentCoding::kBrotli);
      } else if (EqualsIgnoringCase(name, "zstd")) {
        codings.applied.push_back(ContentCoding::kZstd);
      } else {
        codings.unknown = true;
      }
    }
  }
  return codings;
}

}  // namespace crawler
