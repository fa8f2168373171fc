#include "format/arrow/row_text.h"

#include <optional>

namespace assay::columns {

namespace {

using arrow::Type;

// The bytes of a string, of whatever kind of column; nothing: no string.
std::optional<std::string_view> string_at(const arrow::Array& array, std::int64_t row) {
  switch (array.type_id()) {
    case Type::STRING:
    case Type::BINARY: return static_cast<const arrow::BinaryArray&>(array).GetView(row);
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY: return static_cast<const arrow::LargeBinaryArray&>(array).GetView(row);
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW: return static_cast<const arrow::BinaryViewArray&>(array).GetView(row);
    default: return std::nullopt;
  }
}

struct Part {
  std::shared_ptr<arrow::Array> values;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// The elements of a list.
std::optional<Part> list_at(const arrow::Array& array, std::int64_t row) {
  const auto of = [&](const auto& list) {
    return Part{list.values(), list.value_offset(row), list.value_offset(row) + list.value_length(row)};
  };
  switch (array.type_id()) {
    case Type::LIST: return of(static_cast<const arrow::ListArray&>(array));
    case Type::LARGE_LIST: return of(static_cast<const arrow::LargeListArray&>(array));
    case Type::FIXED_SIZE_LIST: return of(static_cast<const arrow::FixedSizeListArray&>(array));
    default: return std::nullopt;
  }
}

// The column that a value really stands in: behind a dictionary, behind a type of its own.
const arrow::Array& resolved(const arrow::Array& array, std::int64_t& row) {
  if (array.type_id() == Type::DICTIONARY) {
    const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
    row = coded.GetValueIndex(row);
    return resolved(*coded.dictionary(), row);
  }
  if (array.type_id() == Type::EXTENSION) {
    return resolved(*static_cast<const arrow::ExtensionArray&>(array).storage(), row);
  }
  return array;
}

class Joined {
 public:
  explicit Joined(std::string& out) : out_(out) {}
  void add(std::string_view text) {
    if (!first_) out_ += '\n';
    first_ = false;
    out_ += text;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

std::shared_ptr<arrow::Array> field_of(const arrow::Array& array, std::initializer_list<const char*> names) {
  const auto& structs = static_cast<const arrow::StructArray&>(array);
  for (const char* name : names) {
    if (auto found = structs.GetFieldByName(name)) return found;
  }
  return nullptr;
}

// The content of a message: a string, or a list of parts of which some are text.
void add_content(const arrow::Array& column, std::int64_t at, Joined& out) {
  if (column.IsNull(at)) return;
  std::int64_t row = at;
  const arrow::Array& array = resolved(column, row);
  if (const auto text = string_at(array, row)) return out.add(*text);
  const auto parts = list_at(array, row);
  if (!parts) return;
  std::shared_ptr<arrow::Array> texts = parts->values;
  if (texts->type_id() == Type::STRUCT) texts = field_of(*texts, {"text"});
  for (std::int64_t i = parts->begin; texts && i < parts->end; ++i) {
    if (texts->IsNull(i)) continue;
    if (const auto text = string_at(*texts, i)) out.add(*text);
  }
}

RowState append_list(const Part& list, std::string& out) {
  Joined joined(out);
  if (list.values->type_id() == Type::STRUCT) {
    const auto content = field_of(*list.values, {"content", "value", "text"});
    if (!content) return RowState::kWrongType;
    for (std::int64_t i = list.begin; i < list.end; ++i) {
      if (!list.values->IsNull(i)) add_content(*content, i, joined);
    }
    return RowState::kText;
  }
  for (std::int64_t i = list.begin; i < list.end; ++i) {
    if (list.values->IsNull(i)) continue;
    std::int64_t row = i;
    const auto text = string_at(resolved(*list.values, row), row);
    if (!text) return RowState::kWrongType;
    joined.add(*text);
  }
  return RowState::kList;
}

}  // namespace

RowState append_value(const arrow::Array& column, std::int64_t at, std::string& out) {
  if (column.IsNull(at)) return RowState::kNull;
  std::int64_t row = at;
  const arrow::Array& array = resolved(column, row);
  if (array.IsNull(row)) return RowState::kNull;
  if (const auto text = string_at(array, row)) {
    out += *text;
    return RowState::kText;
  }
  const auto list = list_at(array, row);
  return list ? append_list(*list, out) : RowState::kWrongType;
}

bool append_id(const arrow::Array& column, std::int64_t at, std::string& out, bool& number) {
  if (column.IsNull(at)) return false;
  std::int64_t row = at;
  const arrow::Array& array = resolved(column, row);
  number = arrow::is_integer(array.type_id());
  if (const auto text = string_at(array, row)) {
    out += *text;
    return true;
  }
  if (!number) return false;
  const auto scalar = array.GetScalar(row);
  if (!scalar.ok()) return false;
  out += scalar.ValueUnsafe()->ToString();
  return true;
}

bool may_be_text(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::BINARY_VIEW:
    case Type::EXTENSION: return true;
    case Type::DICTIONARY: return may_be_text(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::FIXED_SIZE_LIST: {
      const auto& value = *static_cast<const arrow::BaseListType&>(type).value_type();
      return value.id() == Type::STRUCT || (value.id() != Type::LIST && may_be_text(value));
    }
    default: return false;
  }
}

}  // namespace assay::columns
