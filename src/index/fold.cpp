#include "index/fold.hpp"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>

#include "base/ascii.hpp"

namespace crawler {

struct Folder::Normalizers {
  Normalizers() {
    UErrorCode error = U_ZERO_ERROR;
    casefold = icu::Normalizer2::getNFKCCasefoldInstance(error);
    decompose = icu::Normalizer2::getNFDInstance(error);
    compose = icu::Normalizer2::getNFCInstance(error);
    // Without ICU's data, words stay as they are.
    if (U_FAILURE(error) != 0) casefold = decompose = compose = nullptr;
  }
  const icu::Normalizer2* casefold;
  const icu::Normalizer2* decompose;
  const icu::Normalizer2* compose;
};

namespace {

// Whether `mark`, on the letter `base`, may be left out.
bool MayDrop(UChar32 mark, UChar32 base) {
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(base, &error)) {
    case USCRIPT_LATIN:
    case USCRIPT_GREEK:
    case USCRIPT_HEBREW:
    case USCRIPT_ARABIC:
    case USCRIPT_COMMON:
    case USCRIPT_INHERITED:
      return true;
    case USCRIPT_CYRILLIC:
      return mark == 0x0300 || mark == 0x0301 || (mark == 0x0308 && base == 0x0435);
    default:
      return false;
  }
}

// Letters that Unicode does not decompose; null for the others.
const char16_t* PlainLetters(UChar32 c) {
  switch (c) {
    case 0x00E6:
      return u"ae";
    case 0x00F0:  // ð
    case 0x0111:  // đ
      return u"d";
    case 0x00F8:
      return u"o";
    case 0x00FE:
      return u"th";
    case 0x0127:
      return u"h";
    case 0x0131:
      return u"i";
    case 0x0142:
      return u"l";
    case 0x0153:
      return u"oe";
    case 0x0167:
      return u"t";
    default:
      return nullptr;
  }
}

bool IsApostrophe(UChar32 c) { return c == 0x2019 || c == 0x2018 || c == 0x02BC || c == '\''; }

// The Arabic tatweel only stretches a word.
bool IsWordCharacter(UChar32 c) {
  if (c == 0x0640) return false;
  return c == '_' || c == '.' ||
         (U_GET_GC_MASK(c) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)) != 0;
}

void AppendPlain(UChar32 c, bool without_marks, icu::UnicodeString* out) {
  const char16_t* plain = without_marks ? PlainLetters(c) : nullptr;
  if (plain != nullptr) {
    out->append(plain);
  } else if (IsApostrophe(c)) {
    out->append(u'\'');
  } else if (IsWordCharacter(c)) {
    out->append(c);
  }
}

}  // namespace

Folder::Folder()
    : normalizers_([]() -> const Normalizers& {
        static const Normalizers shared;
        return shared;
      }()) {}

void Folder::Fold(std::string_view word, Marks marks, std::string* out) const {
  out->clear();
  if (IsAscii(word) || normalizers_.casefold == nullptr) {
    for (const char c : word)
      out->push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
    return;
  }
  const bool without_marks = marks == Marks::kRemoved;
  UErrorCode error = U_ZERO_ERROR;
  const icu::UnicodeString source = icu::UnicodeString::fromUTF8(
      icu::StringPiece(word.data(), static_cast<std::int32_t>(word.size())));
  const icu::UnicodeString folded = normalizers_.casefold->normalize(source, error);
  const icu::UnicodeString letters = normalizers_.decompose->normalize(folded, error);
  icu::UnicodeString kept;
  UChar32 base = ' ';
  for (std::int32_t i = 0; i < letters.length(); i = letters.moveIndex32(i, 1)) {
    const UChar32 c = letters.char32At(i);
    if (u_charType(c) == U_NON_SPACING_MARK) {
      // The dot above an i is what case folding leaves of the Turkish capital.
      if (without_marks ? MayDrop(c, base) : c == 0x0307 && base == 'i') continue;
    } else {
      base = c;
    }
    AppendPlain(c, without_marks, &kept);
  }
  normalizers_.compose->normalize(kept, error).toUTF8String(*out);
}

}  // namespace crawler
