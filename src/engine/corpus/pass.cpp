// Threads take blocks from the first file that has one ready: reading and unpacking a file is work for one thread at a
// time, judging a block for any. Where the readers of all open files are busy (one large .gz feeds no more than some
// threads), the next file is opened. Results are put together in the order of the files and their blocks, whichever
// thread was first.
//
// Memory: a thread holds one block. Results that wait for an earlier one are bounded by a window: where it is full,
// only blocks of the file that all wait for are handed out, so there is always one that frees it.

#include "engine/corpus/pass.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/parallel.h"
#include "base/progress.h"

namespace assay {

namespace {

DocumentOptions reading_options(const CorpusOptions& options) {
  DocumentOptions out;
  out.field = options.field;
  out.format = options.format;
  out.split = options.split;
  return out;
}

class Pass {
 public:
  Pass(const std::vector<Input>& inputs, const std::vector<std::size_t>& source_of, std::size_t sources,
       const DocumentRules& rules, const CorpusOptions& options)
      : inputs_(inputs),
        source_of_(source_of),
        rules_(rules),
        options_(options),
        jobs_(job_count(options.jobs)),
        window_(4 * jobs_ + 8) {
    out_.examples = CorpusExamples(rules.rules().size());
    out_.sources.resize(sources);
    out_.files.resize(inputs.size());
  }

  PassOutcome run() {
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 1; i < jobs_; ++i) threads.emplace_back([this] { work(); });
      work();
    }
    out_.files.resize(std::min(out_.files.size(), stopped() ? head_ + (head_ < inputs_.size() ? 1 : 0) : head_));
    return std::move(out_);
  }

 private:
  // A file that has been opened. `next` is touched only by the thread that has set `busy`.
  struct Open {
    std::size_t file = 0;
    DocumentFile documents;
    bool busy = false;
    std::uint64_t handed_out = 0;  // blocks
  };

  struct Ticket {
    std::shared_ptr<Open> open;
    DocumentBlock block;
  };

  bool stopped() const { return options_.interrupted != nullptr && options_.interrupted->load(); }

  void work() {
    BlockJudge judge(
        rules_, {.sample = options_.sample, .flagged = options_.flagged != nullptr, .nature = options_.select.empty()});
    while (auto ticket = take()) {
      BlockResult result;
      std::optional<Error> fault;
      try {
        result = judge.judge(*ticket->open->documents.reader, ticket->block, ticket->open->file,
                             inputs_[ticket->open->file].path);
      } catch (const std::exception& error) {
        fault = Error{ErrorCode::kInternal,
                      std::string("judging a block failed: ") + error.what(),
                      {},
                      "please report this; the other blocks were judged"};
      }
      deliver(ticket->open->file, ticket->block.number, std::move(result), std::move(fault));
    }
  }

  // The next block; nothing: all are handed out, or the user interrupted.
  std::optional<Ticket> take() {
    std::unique_lock lock(mutex_);
    while (!stopped()) {
      const std::shared_ptr<Open> open = ready(lock);
      if (!open) {
        if (next_file_ >= inputs_.size() && open_.empty()) return std::nullopt;
        // An interrupt comes from a signal that notifies nobody.
        changed_.wait_for(lock, std::chrono::milliseconds(100));
        continue;
      }
      lock.unlock();
      Ticket ticket{open, {}};
      const Result<bool> more = next_block(*open, ticket.block);
      lock.lock();
      open->busy = false;
      if (more && *more) {
        ticket.block.number = open->handed_out++;
        ++waiting_;
        changed_.notify_all();
        return ticket;
      }
      end(*open, more ? std::nullopt : std::optional<Error>(more.error()));
    }
    changed_.notify_all();
    return std::nullopt;
  }

  // A file whose reader is free, opened if need be, and marked as busy; null: there is none now.
  std::shared_ptr<Open> ready(std::unique_lock<std::mutex>& lock) {
    const bool full = waiting_ >= window_;
    for (const std::shared_ptr<Open>& one : open_) {
      if (full && one->file != head_) break;
      if (one->busy) continue;
      one->busy = true;
      return one;
    }
    if (next_file_ >= inputs_.size() || open_.size() >= jobs_ || (full && next_file_ != head_)) return nullptr;
    auto open = std::make_shared<Open>();
    open->file = next_file_++;
    open->busy = true;
    open_.push_back(open);  // files are opened in their order: so is the list
    lock.unlock();
    std::optional<Error> failed = open_file(*open);
    lock.lock();
    if (!failed) return open;
    open->busy = false;
    end(*open, std::move(failed));
    return ready(lock);
  }

  std::optional<Error> open_file(Open& open) {
    const Input& input = inputs_[open.file];
    if (input.error) return input.error;
    try {
      Result<DocumentFile> documents = open_documents(input.path, reading_options(options_));
      if (!documents) return documents.error();
      open.documents = std::move(*documents);
      return std::nullopt;
    } catch (const std::exception& error) {
      return Error{ErrorCode::kInternal, std::string("opening failed: ") + error.what(), {}, "please report this"};
    }
  }

  Result<bool> next_block(Open& open, DocumentBlock& block) {
    try {
      Result<bool> more = open.documents.reader->next(block);
      if (options_.progress != nullptr && more && *more) {
        options_.progress->bytes_done += static_cast<std::int64_t>(block.stored);
      }
      return more;
    } catch (const std::exception& error) {
      return fail(ErrorCode::kInternal, std::string("reading failed: ") + error.what(), {}, "please report this");
    }
  }

  // Under the lock: no more blocks of it come.
  void end(Open& open, std::optional<Error> error) {
    PassFile& file = out_.files[open.file];
    file.record.kind = open.documents.kind;
    file.record.codec = open.documents.codec;
    file.record.error = std::move(error);
    blocks_of_[open.file] = open.handed_out;
    const std::size_t number = open.file;
    std::erase_if(open_, [&](const std::shared_ptr<Open>& one) { return one->file == number; });
    merge_ready();
    changed_.notify_all();
  }

  void deliver(std::size_t file, std::uint64_t block, BlockResult result, std::optional<Error> fault) {
    const std::scoped_lock lock(mutex_);
    if (fault) {
      out_.files[file].record.problems.push_back(std::move(*fault));
      ++out_.files[file].record.problem_count;
    }
    results_.emplace(std::pair(file, block), std::move(result));
    merge_ready();
    changed_.notify_all();
  }

  // Under the lock: puts together what is next in order.
  void merge_ready() {
    for (;;) {
      const auto found = results_.find({head_, head_block_});
      if (found != results_.end()) {
        merge(std::move(found->second));
        results_.erase(found);
        ++head_block_;
        --waiting_;
        continue;
      }
      const auto blocks = blocks_of_.find(head_);
      if (blocks == blocks_of_.end() || head_block_ < blocks->second) return;
      blocks_of_.erase(blocks);
      ++head_;
      head_block_ = 0;
      if (options_.progress != nullptr) ++options_.progress->files_done;
    }
  }

  void merge(BlockResult result) {
    PassFile& file = out_.files[head_];
    const auto before = static_cast<std::int64_t>(file.documents);
    file.lines += result.counts.lines;
    file.lost_lines += result.counts.lost_lines;
    file.documents += result.counts.documents;
    out_.sources[source_of_[head_]].add(result.counts);
    const auto place = [before](FlaggedDocument& one) {
      if (one.document >= 0) one.document += before;
    };
    for (std::size_t rule = 0; rule < rules_.rules().size(); ++rule) {
      for (CorpusExample& one : result.examples.of(rule)) place(one.flagged);
    }
    out_.examples.merge(std::move(result.examples));
    for (FlaggedDocument& one : result.flagged) {
      place(one);
      options_.flagged->take(one);
    }
  }

  const std::vector<Input>& inputs_;
  const std::vector<std::size_t>& source_of_;
  const DocumentRules& rules_;
  const CorpusOptions& options_;
  const std::size_t jobs_;
  const std::size_t window_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_file_ = 0;
  std::vector<std::shared_ptr<Open>> open_;
  std::map<std::pair<std::size_t, std::uint64_t>, BlockResult> results_;  // that wait for an earlier one
  std::map<std::size_t, std::uint64_t> blocks_of_;                        // of files that have ended
  std::size_t waiting_ = 0;                                               // blocks handed out and not yet put together
  std::size_t head_ = 0;                                                  // the file that is put together
  std::uint64_t head_block_ = 0;
  PassOutcome out_;
};

}  // namespace

PassOutcome pass_over(const std::vector<Input>& inputs, const std::vector<std::size_t>& source_of, std::size_t sources,
                      const DocumentRules& rules, const CorpusOptions& options) {
  return Pass(inputs, source_of, sources, rules, options).run();
}

}  // namespace assay
