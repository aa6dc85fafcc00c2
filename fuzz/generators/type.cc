// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generators/type.h"

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "src/base/strings.h"

namespace spillway::fuzz {
namespace {

using vector::Kind;
using vector::Type;
using vector::TypePtr;

constexpr std::array<int, 8> kPrecisions = {1, 2, 9, 17, 18, 19, 20, 38};

TypePtr MakeDecimal(base::Random& random) {
  const int precision = kPrecisions[random.Below(kPrecisions.size())];
  const int scale = random.Below(2) == 0 ? 0 : static_cast<int>(random.Below(precision + 1));
  return *Type::Decimal(precision, scale);
}

TypePtr MakeScalar(base::Random& random, const TypeOptions& options) {
  while (true) {
    const auto kind = static_cast<Kind>(random.Below(static_cast<uint64_t>(Kind::kArray)));
    if (kind == Kind::kHugeint && !options.hugeint) continue;
    if (kind == Kind::kShortDecimal || kind == Kind::kLongDecimal) return MakeDecimal(random);
    if (kind == Kind::kVarchar && random.Below(4) == 0) return Type::Collated("UTF8_LCASE");
    return Type::Scalar(kind);
  }
}

TypePtr MakeNested(base::Random& random, TypeOptions options) {
  --options.max_depth;
  switch (random.Below(3)) {
    case 0:
      return Type::Array(MakeType(random, options));
    case 1: {
      TypePtr key = MakeType(random, options);
      while (key->kind() == Kind::kUnknown) key = MakeScalar(random, options);
      return Type::Map(std::move(key), MakeType(random, options));
    }
    default: {
      std::vector<std::string> names;
      std::vector<TypePtr> fields;
      const uint64_t size = random.Below(4);
      for (uint64_t i = 0; i < size; ++i) {
        names.push_back(i == 2 ? std::string("a \"quoted\" näme") : base::Cat("f", i));
        fields.push_back(MakeType(random, options));
      }
      return Type::Row(std::move(names), std::move(fields));
    }
  }
}

}  // namespace

TypePtr MakeType(base::Random& random, const TypeOptions& options) {
  if (options.nested && options.max_depth > 0 && random.Below(3) == 0) {
    return MakeNested(random, options);
  }
  return MakeScalar(random, options);
}

rc::Gen<TypePtr> AnyType(const TypeOptions& options) {
  return rc::gen::shrink(rc::gen::map(AnySeed(),
                                      [options](uint64_t seed) {
                                        base::Random random(seed);
                                        return MakeType(random, options);
                                      }),
                         [](const TypePtr& type) {
                           return rc::seq::fromContainer(std::vector<TypePtr>(type->children()));
                         });
}

rc::Gen<uint64_t> AnySeed() {
  return rc::gen::noShrink(
      rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint64_t>()));
}

}  // namespace spillway::fuzz

namespace spillway::vector {

void showValue(const Type& type, std::ostream& out) { out << type.ToString(); }

}  // namespace spillway::vector
