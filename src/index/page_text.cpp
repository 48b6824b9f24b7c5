#include "index/page_text.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <utility>

#include "index/varint.hpp"

namespace crawler {
namespace {

/// Where the headings of page_text.headings end and boilerplate begins.
constexpr std::uint32_t kMarksEnd = 0xffffffff;

constexpr int kCompressionLevel = 1;
/// More than any page keeps (see ExtractOptions::max_text_bytes); a damaged file asks for no more.
constexpr unsigned long long kMaxTextBytes = 256ull << 20;

}  // namespace

struct TextCompressor::Impl {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  Impl() {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~Impl() { ZSTD_freeCCtx(context); }
};

TextCompressor::TextCompressor() : impl_(std::make_unique<Impl>()) {}
TextCompressor::~TextCompressor() = default;

void TextCompressor::Compress(std::string_view text, std::string* out) {
  out->resize(ZSTD_compressBound(text.size()));
  const std::size_t size = ZSTD_compressCCtx(impl_->context, out->data(), out->size(), text.data(),
                                             text.size(), kCompressionLevel);
  // It fails only without memory or room, and room there is.
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  out->resize(size);
}

Status DecompressText(std::string_view bytes, std::string* text) {
  text->clear();
  if (bytes.empty()) return Status::Ok();
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size <= kMaxTextBytes) {
    text->resize(size);
    const std::size_t read =
        ZSTD_decompress(text->data(), text->size(), bytes.data(), bytes.size());
    if (read == size) return Status::Ok();
    if (ZSTD_getErrorCode(read) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    text->clear();
  }
  return Status(StatusCode::kCorruption, "the stored text of a page cannot be read");
}

void EncodeSlices(std::span<const PageSlice> slices, std::string* out) {
  std::uint32_t end = 0;
  for (const PageSlice& slice : slices) {
    if (slice.offset < end) continue;
    AppendVarint(slice.offset - end, out);
    AppendVarint(slice.size, out);
    end = slice.offset + slice.size;
  }
}

void EncodeMarks(const TextMarks<std::span<const PageSlice>>& marks, std::string* out) {
  // A piece behind the end of any text: DecodeSlices() stops there.
  const auto end_kind = [out] {
    AppendVarint(kMarksEnd, out);
    AppendVarint(0, out);
  };
  EncodeSlices(marks.headings, out);
  if (marks.boilerplate.empty() && marks.link_blocks.empty()) return;
  end_kind();
  EncodeSlices(marks.boilerplate, out);
  if (marks.link_blocks.empty()) return;
  end_kind();
  EncodeSlices(marks.link_blocks, out);
}

void DecodeMarks(std::string_view bytes, std::size_t text_size, PageMarks* marks) {
  for (std::vector<PageSlice>* const slices :
       {&marks->headings, &marks->boilerplate, &marks->link_blocks}) {
    DecodeSlices(bytes, text_size, slices);
    VarintReader reader(bytes);
    for (bool is_end = false; !is_end && !reader.AtEnd() && reader.ok();) {
      is_end = reader.Next32() == kMarksEnd;
      reader.Next32();
    }
    const auto rest = static_cast<std::size_t>(reader.end() - reader.position());
    bytes.remove_prefix(bytes.size() - rest);
  }
}

void DecodeSlices(std::string_view bytes, std::size_t text_size, std::vector<PageSlice>* slices) {
  slices->clear();
  VarintReader reader(bytes);
  std::uint64_t end = 0;
  while (!reader.AtEnd()) {
    const std::uint64_t offset = end + reader.Next32();
    const std::uint64_t size = reader.Next32();
    if (!reader.ok() || offset + size > text_size) return;
    slices->push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
    end = offset + size;
  }
}

Result<PageTextReader> PageTextReader::Open(Database& db) {
  Result<Statement> select =
      db.Prepare("SELECT language, date, headings, text FROM page_text WHERE page_id = ?");
  if (!select.ok()) return select.status();
  return PageTextReader(std::move(select).value());
}

Result<bool> PageTextReader::Read(std::int64_t page, PageText* text) {
  const Result<bool> row = select_.Bind(1, page).Step();
  if (!row.ok()) return row.status();
  if (!*row) return false;
  text->language.assign(select_.Text(0));
  text->date = select_.Int(1);
  Status status = DecompressText(select_.Blob(3), &text->text);
  DecodeMarks(select_.Blob(2), text->text.size(), &text->marks);
  select_.Reset();
  if (!status.ok()) return status;
  return true;
}

}  // namespace crawler
