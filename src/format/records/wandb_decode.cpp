#include "format/records/wandb_decode.h"

#include <utility>

#include "format/records/proto.h"

namespace assay {

namespace {

// Fields of a Record, by number; what is not named here is bookkeeping.
WandbContent content_of(std::uint32_t field) {
  switch (field) {
    case 2: return WandbContent::kHistory;
    case 5: return WandbContent::kConfig;
    case 17: return WandbContent::kRun;
    case 18: return WandbContent::kExit;
    case 4:
    case 13: return WandbContent::kConsole;
    case 7: return WandbContent::kSystemMetrics;
    case 10: return WandbContent::kAlert;
    case 6:
    case 8:
    case 9:
    case 24:
    case 25:
    case 100: return WandbContent::kOther;
    default: return WandbContent::kNothing;
  }
}

// HistoryItem, ConfigItem: both have the key in 1, a key of several parts in 2, and JSON in 16.
WandbItem read_item(std::string_view message) {
  WandbItem out;
  ProtoReader reader(message);
  bool too_deep = false;
  while (reader.next()) {
    switch (reader.field()) {
      case 1:
        out.name[0] = reader.bytes();
        out.parts = out.name[0].empty() ? out.parts : 1;
        break;
      case 2: {
        const std::string_view part = reader.bytes();
        too_deep = too_deep || out.parts == WandbItem::kMostParts;
        if (!too_deep) out.name[out.parts++] = part;
        break;
      }
      case 16: out.json = reader.bytes(); break;
      default: reader.skip();
    }
  }
  if (too_deep) out.parts = 0;
  return out;
}

void read_step(std::string_view message, WandbRecord& out) {
  ProtoReader reader(message);
  while (reader.next()) {
    if (reader.field() != 2 || !reader.is_bytes()) {
      reader.skip();
      continue;
    }
    out.has_step = true;
    ProtoReader step(reader.bytes());
    while (step.next()) {
      if (step.field() == 1) {
        out.step = step.integer();
      } else {
        step.skip();
      }
    }
  }
}

double read_time(std::string_view message) {
  double seconds = 0;
  ProtoReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case 1: seconds += static_cast<double>(reader.integer()); break;
      case 2: seconds += 1e-9 * static_cast<double>(reader.integer()); break;
      default: reader.skip();
    }
  }
  return seconds;
}

void read_run(std::string_view message, WandbRecord& out) {
  ProtoReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case 1: out.run_id = reader.bytes(); break;
      case 4: read_wandb_items(reader.bytes(), out.items); break;
      case 17: out.started = read_time(reader.bytes()); break;
      default: reader.skip();
    }
  }
}

void read_field(std::string_view message, std::uint32_t wanted, std::string_view* text, std::int64_t* number) {
  ProtoReader reader(message);
  while (reader.next()) {
    if (reader.field() != wanted) {
      reader.skip();
    } else if (text != nullptr) {
      *text = reader.bytes();
    } else {
      *number = reader.integer();
    }
  }
}

}  // namespace

void read_wandb_items(std::string_view message, std::vector<WandbItem>& out) {
  ProtoReader reader(message);
  while (reader.next()) {
    if (reader.field() == 1 && reader.is_bytes()) {
      out.push_back(read_item(reader.bytes()));
    } else {
      reader.skip();
    }
  }
}

void read_wandb_record(std::string_view data, WandbRecord& out) {
  std::vector<WandbItem> items = std::move(out.items);
  items.clear();
  out = {};
  out.items = std::move(items);
  ProtoReader reader(data);
  while (reader.next()) {
    const WandbContent content = content_of(reader.field());
    if (content == WandbContent::kNothing) {
      reader.skip();
      continue;
    }
    out.content = content;
    const std::string_view message = reader.bytes();
    switch (content) {
      case WandbContent::kHistory:
        out.message = message;
        read_step(message, out);
        break;
      case WandbContent::kConfig: read_wandb_items(message, out.items); break;
      case WandbContent::kRun: read_run(message, out); break;
      case WandbContent::kConsole: read_field(message, 3, &out.text, nullptr); break;
      case WandbContent::kExit: read_field(message, 1, nullptr, &out.exit_code); break;
      case WandbContent::kAlert: read_field(message, 1, &out.text, nullptr); break;
      default: break;
    }
  }
}

}  // namespace assay
