// An MPI job: rank 0 leads, the others do what it says.
//
// The experiment is written once, for one process (experiment.cpp). Rank 0 runs it; before each step it broadcasts what
// is to be done, and all ranks do the same collective calls: none can wait for one that another left out, and an error
// of rank 0 ends the others with one word. A rank that dies ends the job: MPI's errors are fatal, and mpirun ends the
// rest. An exception ends it by MPI_Abort.
//
// Choosing the algorithm. Open MPI reads coll_tuned_allreduce_algorithm when a communicator is made, from a control
// variable that MPI_T lets a program write; so each algorithm gets a duplicate of MPI_COMM_WORLD, and one job can run
// them all. coll_tuned_use_dynamic_rules must be set before MPI starts, hence the environment. A value that does not
// exist is refused by the variable and by nothing else, so it is read back. Whether it acted is seen in the work
// (Outcome::acted). Tried with Open MPI 4.1.4, where MPI_T that was begun before MPI_Init crashes in MPI_T_finalize: it
// is begun after.

#include "mpi/job.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "mpi/start_limit.h"

namespace assay::mpi {

namespace {

// What the operator works with: MPI gives it nothing but the numbers.
Wire* operator_wire = nullptr;
std::uint64_t operator_additions = 0;

extern "C" void add_codes(void* other, void* sum, int* count, MPI_Datatype* /*type*/) {
  const auto numbers = static_cast<std::size_t>(*count);
  const std::size_t bytes = numbers * operator_wire->bytes();
  operator_wire->add({static_cast<const std::byte*>(other), bytes}, {static_cast<std::byte*>(sum), bytes});
  operator_additions += numbers;
}

// "Open MPI 4.1.4" of "Open MPI v4.1.4, package: Debian OpenMPI, …".
std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string out(text.data());
  out.erase(std::min(out.find_first_of(",\n"), out.size()));
  if (const std::size_t version = out.find(" v"); version != std::string::npos) out.erase(version + 1, 1);
  return out;
}

// The control variable by which Open MPI's algorithm is chosen.
class Choice {
 public:
  Choice() {
    int provided = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return;
    begun_ = true;
    int index = 0;
    int count = 0;
    there_ = MPI_T_cvar_get_index("coll_tuned_allreduce_algorithm", &index) == MPI_SUCCESS &&
             MPI_T_cvar_handle_alloc(index, nullptr, &handle_, &count) == MPI_SUCCESS && count == 1;
  }
  ~Choice() {
    if (there_) MPI_T_cvar_handle_free(&handle_);
    if (begun_) MPI_T_finalize();
  }
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;

  bool set(int number) {
    int now = -1;
    return there_ && MPI_T_cvar_write(handle_, &number) == MPI_SUCCESS &&
           MPI_T_cvar_read(handle_, &now) == MPI_SUCCESS && now == number;
  }

 private:
  bool begun_ = false, there_ = false;
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
};

// What every rank does at a word of rank 0.
class Worker {
 public:
  Worker(const Job& job, Wire& wire, std::vector<std::byte> mine)
      : job_(job), wire_(wire), mine_(std::move(mine)), result_(mine_.size()) {
    MPI_Type_contiguous(static_cast<int>(wire.bytes()), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
    MPI_Op_create(add_codes, 1, &operation_);
    operator_wire = &wire;
  }
  ~Worker() {
    for (auto& [number, communicator] : communicators_) MPI_Comm_free(&communicator);
    MPI_Op_free(&operation_);
    MPI_Type_free(&type_);
    operator_wire = nullptr;
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool choose(int number) {
    // Any MPI has its default, also one that lets nothing be chosen.
    const bool able = choice_.set(number) || number == 0;
    if (job_.most(able ? 0 : 1) != 0) return false;
    MPI_Comm& communicator = communicators_.try_emplace(number, MPI_COMM_NULL).first->second;
    if (communicator == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    current_ = communicator;
    return true;
  }

  // On rank 0 with what it learns of all; `call` may be null elsewhere.
  void reduce(Reducer::Call* call) {
    operator_additions = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Allreduce(mine_.data(), result_.data(), static_cast<int>(mine_.size() / wire_.bytes()), type_, operation_,
                  current_);
    const double seconds = MPI_Wtime() - start;
    const std::array<std::uint64_t, 2> told = {hash_of(result_), operator_additions};
    std::vector<std::uint64_t> all(call != nullptr ? told.size() * job_.ranks() : 0);
    MPI_Gather(told.data(), 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (call == nullptr) return;
    call->seconds = seconds;
    for (std::size_t rank = 0; rank < job_.ranks(); ++rank) {
      call->hashes.push_back(all[2 * rank]);
      call->additions.push_back(all[2 * rank + 1]);
    }
  }

  // The result of a rank, on rank 0.
  std::vector<std::byte> fetch(std::size_t rank) {
    if (rank == 0) return result_;
    std::vector<std::byte> out;
    const auto size = static_cast<int>(result_.size());
    if (job_.rank() == rank) MPI_Send(result_.data(), size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (job_.rank() == 0) {
      out.resize(result_.size());
      MPI_Recv(out.data(), size, MPI_BYTE, static_cast<int>(rank), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return out;
  }

 private:
  const Job& job_;
  Wire& wire_;
  std::vector<std::byte> mine_, result_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
  Choice choice_;
  std::map<int, MPI_Comm> communicators_;  // of each algorithm
  MPI_Comm current_ = MPI_COMM_WORLD;
};

enum class Word : std::int64_t { kChoose, kReduce, kFetch, kEnd };

// From rank 0 to all.
std::pair<Word, std::int64_t> broadcast(Word word, std::int64_t argument) {
  std::array<std::int64_t, 2> said = {static_cast<std::int64_t>(word), argument};
  MPI_Bcast(said.data(), 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return {static_cast<Word>(said[0]), said[1]};
}

class Leader : public Reducer {
 public:
  Leader(const Job& job, Wire& wire, std::vector<std::byte> mine) : worker_(job, wire, std::move(mine)) {}
  ~Leader() override { broadcast(Word::kEnd, 0); }
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  std::string library() const override { return library_name(); }

  Result<void> choose(const Algorithm& algorithm) override {
    broadcast(Word::kChoose, algorithm.number);
    if (worker_.choose(algorithm.number)) return {};
    return fail(ErrorCode::kUsage, library() + " does not let a program choose '" + algorithm.name + "'", {},
                "--algorithm default runs what it does on its own");
  }

  Call reduce() override {
    broadcast(Word::kReduce, 0);
    Call out;
    worker_.reduce(&out);
    return out;
  }

  std::vector<std::byte> result_of(std::size_t rank) override {
    broadcast(Word::kFetch, static_cast<std::int64_t>(rank));
    return worker_.fetch(rank);
  }

 private:
  Worker worker_;
};

}  // namespace

Job::Job(int* count, char*** words) {
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
  {
    const StartLimit limit;
    MPI_Init(count, words);
  }
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rank_ = static_cast<std::size_t>(rank);
  ranks_ = static_cast<std::size_t>(ranks);
}

Job::~Job() { MPI_Finalize(); }

std::uint64_t Job::most(std::uint64_t mine) const {
  std::uint64_t out = 0;
  MPI_Allreduce(&mine, &out, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return out;
}

bool Job::all_equal(std::uint64_t mine) const { return most(mine) == ~most(~mine); }

Result<void> Job::agree(const Result<void>& mine) const {
  const std::uint64_t first = ranks_ - most(mine ? 0 : ranks_ - rank_);  // the lowest has the most
  if (first == ranks_) return {};
  std::string text = first == rank_ && !mine ? mine.error().message : "";
  std::string hint = first == rank_ && !mine ? mine.error().hint : "";
  std::string path = first == rank_ && !mine ? mine.error().where.path : "";
  for (std::string* part : {&text, &hint, &path}) {
    std::uint64_t size = part->size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, static_cast<int>(first), MPI_COMM_WORLD);
    part->resize(size);
    MPI_Bcast(part->data(), static_cast<int>(size), MPI_CHAR, static_cast<int>(first), MPI_COMM_WORLD);
  }
  if (first > 0) text = "rank " + std::to_string(first) + ": " + text;
  return fail(ErrorCode::kUsage, std::move(text), {.path = std::move(path)}, std::move(hint));
}

void Job::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // MPI_Abort does not return
}

std::unique_ptr<Reducer> lead(const Job& job, Wire& wire, std::vector<std::byte> mine) {
  return std::make_unique<Leader>(job, wire, std::move(mine));
}

void serve(const Job& job, Wire& wire, std::vector<std::byte> mine) {
  Worker worker(job, wire, std::move(mine));
  while (true) {
    const auto [word, argument] = broadcast(Word::kEnd, 0);
    switch (word) {
      case Word::kChoose: worker.choose(static_cast<int>(argument)); break;
      case Word::kReduce: worker.reduce(nullptr); break;
      case Word::kFetch: worker.fetch(static_cast<std::size_t>(argument)); break;
      case Word::kEnd: return;
    }
  }
}

}  // namespace assay::mpi
