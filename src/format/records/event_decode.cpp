#include "format/records/event_decode.h"

#include "format/records/proto.h"
#include "format/records/tensor_scalar.h"

namespace assay {

namespace {

// The name of the plugin that shows a value, and what it is to be given; only the first value of a tag has it.
struct Plugin {
  std::string_view name;
  std::string_view content;
};

Plugin read_metadata(std::string_view message) {
  Plugin out;
  ProtoReader metadata(message);
  while (metadata.next()) {
    if (metadata.field() != 1) {  // plugin_data
      metadata.skip();
      continue;
    }
    ProtoReader data(metadata.bytes());
    while (data.next()) {
      switch (data.field()) {
        case 1: out.name = data.bytes(); break;
        case 2: out.content = data.bytes(); break;
        default: data.skip();
      }
    }
  }
  return out;
}

EventContent content_of(std::string_view plugin) {
  if (plugin == "histograms" || plugin == "distributions") return EventContent::kHistogram;
  if (plugin == "images") return EventContent::kImage;
  if (plugin == "audio") return EventContent::kAudio;
  return EventContent::kTensor;
}

void take_tensor(std::string_view message, SummaryValue& out) {
  const TensorContent tensor = read_tensor(message);
  if (tensor.type == kTensorString) {
    out.content = EventContent::kText;
    out.text = tensor.text;
  } else if (tensor.number) {
    out.content = EventContent::kScalar;
    out.number = *tensor.number;
  } else {
    out.content = EventContent::kTensor;
  }
}

SummaryValue read_value(std::string_view message) {
  SummaryValue out;
  ProtoReader reader(message);
  std::string_view metadata;
  while (reader.next()) {
    switch (reader.field()) {
      case 1: out.tag = reader.bytes(); break;
      case 2:
        out.number = static_cast<double>(reader.float32());
        out.content = EventContent::kScalar;
        break;
      case 4:
        out.content = EventContent::kImage;
        reader.skip();
        break;
      case 3:  // the histograms of the first versions
      case 5:
        out.content = EventContent::kHistogram;
        reader.skip();
        break;
      case 6:
        out.content = EventContent::kAudio;
        reader.skip();
        break;
      case 8: take_tensor(reader.bytes(), out); break;
      case 9: metadata = reader.bytes(); break;
      default: reader.skip();
    }
  }
  if (metadata.empty() || out.content == EventContent::kScalar) return out;
  const Plugin plugin = read_metadata(metadata);
  if (plugin.name == "hparams") {
    out.content = EventContent::kHparams;
    out.text = plugin.content;
  } else if (out.content == EventContent::kTensor || (out.content == EventContent::kText && plugin.name != "text")) {
    out.content = content_of(plugin.name);  // an image is a tensor of strings
  }
  return out;
}

void read_session_log(std::string_view message, EventRecord& out) {
  ProtoReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case 1: {
        const std::uint64_t status = reader.varint();
        out.status = status <= 3 ? static_cast<SessionStatus>(status) : SessionStatus::kNone;
        break;
      }
      case 2: out.text = reader.bytes(); break;
      default: reader.skip();
    }
  }
}

void read_log_message(std::string_view message, EventRecord& out) {
  ProtoReader reader(message);
  while (reader.next()) {
    if (reader.field() == 2) {
      out.text = reader.bytes();
    } else {
      reader.skip();
    }
  }
}

void read_summary(std::string_view message, EventRecord& out) {
  ProtoReader reader(message);
  while (reader.next()) {
    if (reader.field() == 1 && reader.is_bytes()) {
      out.values.push_back(read_value(reader.bytes()));
    } else {
      reader.skip();
    }
  }
}

}  // namespace

void read_event(std::string_view data, EventRecord& out) {
  out.wall_time = 0;
  out.step = 0;
  out.content = EventContent::kNothing;
  out.status = SessionStatus::kNone;
  out.text = {};
  out.values.clear();
  const auto whole = [&](ProtoReader& reader, EventContent content) {
    out.content = content;
    return reader.bytes();
  };
  ProtoReader reader(data);
  while (reader.next()) {
    switch (reader.field()) {
      case 1: out.wall_time = reader.float64(); break;
      case 2: out.step = reader.integer(); break;
      case 3: out.text = whole(reader, EventContent::kVersion); break;
      case 4:
      case 9: whole(reader, EventContent::kGraph); break;
      case 5: read_summary(reader.bytes(), out); break;
      case 6: read_log_message(whole(reader, EventContent::kLogMessage), out); break;
      case 7: read_session_log(whole(reader, EventContent::kSessionLog), out); break;
      case 8: whole(reader, EventContent::kRunMetadata); break;
      default: reader.skip();
    }
  }
}

}  // namespace assay
