// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generators/batch.h"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "src/base/strings.h"
#include "src/vector/batch_proto.h"

namespace spillway::fuzz {
namespace {

constexpr int64_t kEdges[] = {0,  1,  2,  3,  7,  8,   9,   15,  16,  17,  31,  32,
                              33, 63, 64, 65, 66, 127, 128, 129, 255, 256, 257, 258};

// Column i is there if bit i of `columns` is set. It has a random stream of its own, so that it
// stays the same when others go.
vector::Batch MakeColumns(uint64_t seed, uint32_t columns, int64_t rows, Features features,
                          const TypeOptions& types) {
  std::vector<vector::ColumnPtr> out;
  std::vector<std::string> names;
  std::vector<vector::TypePtr> fields;
  for (int i = 0; columns >> i != 0; ++i) {
    if ((columns >> i & 1) == 0) continue;
    base::Random random = base::Random::Stream(seed, base::Cat("column ", i));
    if (!out.empty() && (features & kSharedColumns) != 0 && random.Below(3) == 0) {
      out.push_back(out[random.Below(out.size())]);
    } else {
      out.push_back(MakeColumn(random, MakeType(random, types), rows, features));
    }
    names.push_back(base::Cat("c", i));
    fields.push_back(out.back()->type_ptr());
  }
  return vector::Batch(vector::Type::Row(std::move(names), std::move(fields)), rows,
                       std::move(out));
}

}  // namespace

vector::Batch MakeBatch(uint64_t seed, int columns, int64_t rows, Features features,
                        const TypeOptions& types) {
  return MakeColumns(seed, (1u << columns) - 1, rows, features, types);
}

rc::Gen<int64_t> AnyRows(int64_t max_rows) {
  int edges = 0;
  for (const int64_t edge : kEdges) edges += edge <= max_rows ? 1 : 0;
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(0, edges), [](int index) { return kEdges[index]; }),
      rc::gen::inRange<int64_t>(0, max_rows + 1));
}

rc::Gen<vector::Batch> AnyBatch(const BatchOptions& options) {
  return rc::gen::apply(
      [types = options.types](uint64_t seed, uint32_t columns, int64_t rows, int max_depth,
                              Features features) {
        TypeOptions shallow = types;
        shallow.max_depth = max_depth;
        return MakeColumns(seed, columns, rows, features, shallow);
      },
      AnySeed(), AnySubset((1u << options.max_columns) - 1),
      // Not scaled by RapidCheck's size, whose early cases would all be empty.
      rc::gen::resize(rc::kNominalSize, AnyRows(options.max_rows)),
      rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, options.types.max_depth + 1)),
      AnySubset(options.allowed));
}

}  // namespace spillway::fuzz

namespace spillway::vector {

void showValue(const Batch& batch, std::ostream& out) { out << ToTextproto(batch); }

}  // namespace spillway::vector
