// SPDX-License-Identifier: Apache-2.0
#include "src/shuffle/shuffle_bench.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "src/base/file_system.h"
#include "src/base/status.h"
#include "src/base/strings.h"
#include "src/memory/counting_pool.h"
#include "src/shuffle/murmur3.h"
#include "src/shuffle/partition_order.h"
#include "src/shuffle/partitioner.h"
#include "src/shuffle/positive_remainder.h"

namespace spillway::shuffle {
namespace {

using vector::Batch;

// Adds the time that it lives to `seconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class TimedFileSystem final : public base::FileSystem {
 public:
  base::IoResult Open(const std::string& path, base::OpenMode mode) override {
    const Stopwatch watch(seconds);
    return files_.Open(path, mode);
  }
  base::IoResult Write(int handle, std::span<const std::string_view> pieces) override {
    const Stopwatch watch(seconds);
    return files_.Write(handle, pieces);
  }
  base::IoResult Read(int handle, int64_t offset, char* to, int64_t size) override {
    const Stopwatch watch(seconds);
    return files_.Read(handle, offset, to, size);
  }
  base::IoResult Size(int handle) override {
    const Stopwatch watch(seconds);
    return files_.Size(handle);
  }
  base::IoResult Sync(int handle) override {
    const Stopwatch watch(seconds);
    return files_.Sync(handle);
  }
  base::IoResult Close(int handle) override {
    const Stopwatch watch(seconds);
    return files_.Close(handle);
  }
  base::IoResult Rename(const std::string& from, const std::string& to) override {
    const Stopwatch watch(seconds);
    return files_.Rename(from, to);
  }
  base::IoResult Remove(const std::string& path) override {
    const Stopwatch watch(seconds);
    return files_.Remove(path);
  }
  base::IoResult List(const std::string& directory, std::vector<std::string>& names) override {
    const Stopwatch watch(seconds);
    return files_.List(directory, names);
  }

  double seconds = 0;

 private:
  base::FileSystem& files_ = base::FileSystem::Posix();
};

class TimedSink final : public PartitionSink {
 public:
  explicit TimedSink(PartitionSink& sink) : sink_(sink) {}

  absl::Status Append(int32_t partition, const Batch& rows) override {
    const Stopwatch watch(seconds);
    return sink_.Append(partition, rows);
  }
  absl::Status EndSpill() override {
    const Stopwatch watch(seconds);
    return sink_.EndSpill();
  }
  absl::Status BeginLastRound() override {
    const Stopwatch watch(seconds);
    return sink_.BeginLastRound();
  }
  absl::Status Finish() override {
    const Stopwatch watch(seconds);
    return sink_.Finish();
  }

  double seconds = 0;

 private:
  PartitionSink& sink_;
};

absl::Status Check(const ShuffleBenchOptions& options) {
  const auto within = [](const char* name, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high) return absl::OkStatus();
    return base::Invalid(name, " is ", value, ", not within ", low, " and ", high);
  };
  constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
  SPILLWAY_RETURN_IF_ERROR(within("rows", options.rows, 1, int64_t{1} << 40));
  SPILLWAY_RETURN_IF_ERROR(within("partitions", options.partitions, 1, kMaxInt32 - 1));
  SPILLWAY_RETURN_IF_ERROR(within("batch", options.batch, 1, kMaxInt32));
  SPILLWAY_RETURN_IF_ERROR(within("iterations", options.iterations, 3, 1'000'000));
  for (const int64_t memory : options.memory) {
    SPILLWAY_RETURN_IF_ERROR(within("memory", memory, 0, std::numeric_limits<int64_t>::max()));
  }
  return absl::OkStatus();
}

// Times of one iteration, in the order of ShuffleBenchRun::parts.
struct Seconds {
  double hash = 0, partition = 0, interleave = 0, encode = 0, write = 0, whole = 0, copy = 0;
};

// One workload, whose batches stay for all runs.
class Bench {
 public:
  Bench(const ShuffleBenchOptions& options, Workload workload)
      : options_(options), workload_(workload) {
    for (int64_t row = 0; row < options.rows; row += options.batch) {
      batches_.push_back(WorkloadRows(workload, row, std::min(options.batch, options.rows - row)));
    }
    const std::string name = base::Cat(options.directory, "/spillway-bench-", getpid());
    paths_ = {name + ".data", name + ".index"};
  }

  absl::StatusOr<ShuffleBenchRun> Run(BlockCodec codec, int64_t memory,
                                      const std::function<void()>& step) {
    ShuffleBenchRun run = {.workload = workload_, .codec = codec, .memory = memory};
    for (const char* name :
         {"hash", "partition", "interleave", "encode", "write", "whole", "memcpy"}) {
      run.parts.push_back({name});
    }
    for (int64_t iteration = 0; iteration <= options_.iterations; ++iteration) {
      Seconds seconds;
      run.input_bytes = Copy(seconds.copy);
      SPILLWAY_RETURN_IF_ERROR(Partition(seconds));
      SPILLWAY_RETURN_IF_ERROR(Write(run, seconds));
      seconds.interleave =
          seconds.whole - seconds.hash - seconds.partition - seconds.encode - seconds.write;
      step();
      if (iteration == 0) continue;  // the warm-up
      const double all[] = {seconds.hash,  seconds.partition, seconds.interleave, seconds.encode,
                            seconds.write, seconds.whole,     seconds.copy};
      for (size_t i = 0; i < run.parts.size(); ++i) run.parts[i].seconds.push_back(all[i]);
    }
    return run;
  }

 private:
  // Copies every buffer, and returns their size.
  int64_t Copy(double& seconds) {
    constexpr size_t kSize = size_t{64} << 20;
    target_.resize(kSize);
    const Stopwatch watch(seconds);
    size_t at = 0;
    int64_t bytes = 0;
    for (const Batch& batch : batches_) {
      for (const vector::ColumnPtr& column : batch.columns()) {
        column->VisitBuffers([&](const vector::Buffer& buffer) {
          const auto size = std::min(static_cast<size_t>(buffer.size()), kSize);
          if (size == 0) return;
          if (at + size > kSize) at = 0;
          std::memcpy(target_.data() + at, buffer.data(), size);
          at += size;
          bytes += buffer.size();
        });
      }
    }
    return bytes;
  }

  absl::Status Partition(Seconds& seconds) {
    const auto partitions = static_cast<int32_t>(options_.partitions);
    const PositiveRemainder remainder(partitions);
    PartitionOrder order;
    std::vector<uint32_t> hashes;
    for (const Batch& batch : batches_) {
      {
        const Stopwatch watch(seconds.hash);
        hashes.assign(static_cast<size_t>(batch.rows()), kMurmur3Seed);
        SPILLWAY_RETURN_IF_ERROR(HashColumn(batch.column(0), HashOptions::Comet(), hashes));
      }
      const Stopwatch watch(seconds.partition);
      remainder.Apply(hashes);
      order.Sort(hashes, partitions);
    }
    return absl::OkStatus();
  }

  absl::Status Write(ShuffleBenchRun& run, Seconds& seconds) {
    TimedFileSystem files;
    {
      const Stopwatch watch(seconds.whole);
      const auto partitions = static_cast<int32_t>(options_.partitions);
      const vector::TypePtr& schema = batches_[0].schema();
      SPILLWAY_ASSIGN_OR_RETURN(
          const std::unique_ptr<OutputSink> output,
          OutputSink::Create(schema, partitions, {.paths = paths_, .block = {.codec = run.codec}},
                             files));
      TimedSink sink(*output);
      memory::CountingPool pool(run.memory == 0 ? std::nullopt : std::optional(run.memory));
      SPILLWAY_ASSIGN_OR_RETURN(
          HashPartitioner partitioner,
          HashPartitioner::Create(schema, {0}, partitions, HashOptions::Comet()));
      SPILLWAY_ASSIGN_OR_RETURN(
          Repartitioner writer,
          Repartitioner::Create(std::move(partitioner),
                                {.batch_size = static_cast<int32_t>(options_.batch)}, pool, sink));
      for (const Batch& batch : batches_) SPILLWAY_RETURN_IF_ERROR(writer.Insert(batch));
      SPILLWAY_RETURN_IF_ERROR(writer.Finish());
      run.metrics = writer.metrics();
      run.output = output->metrics();
      seconds.write = files.seconds;
      seconds.encode = sink.seconds - files.seconds;
    }
    for (const std::string& path : {paths_.data, paths_.index}) {
      const base::IoResult removed = files.Remove(path);
      if (removed.error != 0) return base::SystemError("remove", path, removed.error);
    }
    if (run.output.rows == options_.rows) return absl::OkStatus();
    return absl::InternalError(
        base::Cat(run.output.rows, " of ", options_.rows, " rows were written"));
  }

  const ShuffleBenchOptions& options_;
  Workload workload_;
  std::vector<Batch> batches_;
  OutputPaths paths_;
  std::string target_;
};

}  // namespace

double ShufflePart::best() const { return *std::min_element(seconds.begin(), seconds.end()); }

double ShufflePart::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

absl::StatusOr<ShuffleBenchResult> RunShuffleBench(const ShuffleBenchOptions& options,
                                                   const ShuffleBenchProgress& progress) {
  SPILLWAY_RETURN_IF_ERROR(Check(options));
  const auto total = static_cast<int64_t>(options.workloads.size() * options.codecs.size() *
                                          options.memory.size()) *
                     (options.iterations + 1);
  int64_t done = 0;
  const auto step = [&] {
    ++done;
    if (progress != nullptr) progress(done, total);
  };
  ShuffleBenchResult result = {.options = options};
  for (const Workload workload : options.workloads) {
    Bench bench(options, workload);
    for (const BlockCodec codec : options.codecs) {
      for (const int64_t memory : options.memory) {
        SPILLWAY_ASSIGN_OR_RETURN(ShuffleBenchRun run,
                                  base::In(WorkloadName(workload), bench.Run(codec, memory, step)));
        result.runs.push_back(std::move(run));
      }
    }
  }
  return result;
}

}  // namespace spillway::shuffle
