// SPDX-License-Identifier: Apache-2.0
#include "src/memory/reservation.h"

#include <utility>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/memory/counting_pool.h"

namespace spillway::memory {
namespace {

// Grants everything until it breaks.
class BreakablePool final : public Pool {
 public:
  absl::StatusOr<Grant> TryGrow(int64_t bytes) override {
    if (broken) return absl::UnavailableError("the executor is gone");
    reserved_ += bytes;
    return Grant{.granted = true};
  }
  absl::Status Shrink(int64_t bytes) override {
    ++shrinks;
    if (broken) return absl::UnavailableError("the executor is gone");
    reserved_ -= bytes;
    return absl::OkStatus();
  }
  int64_t reserved() const override { return reserved_; }

  bool broken = false;
  int shrinks = 0;

 private:
  int64_t reserved_ = 0;
};

TEST(ReservationTest, EverythingGoesBackInOneCallAtTheEnd) {
  CountingPool pool;
  {
    Reservation reservation(pool);
    ASSERT_TRUE(reservation.TryGrow(30)->granted);
    ASSERT_TRUE(reservation.TryGrow(12)->granted);
    EXPECT_EQ(reservation.size(), 42);
  }
  EXPECT_EQ(pool.reserved(), 0);
  EXPECT_EQ(pool.counters().release_calls, 1u);
}

TEST(ReservationTest, AnEmptyReservationMakesNoCall) {
  BreakablePool pool;
  {
    Reservation reservation(pool);
    EXPECT_TRUE(reservation.TryGrow(0)->granted);
    EXPECT_TRUE(reservation.Free().ok());
  }
  EXPECT_EQ(pool.shrinks, 0);
}

TEST(ReservationTest, ADenialIsNotHeld) {
  CountingPool pool(10);
  Reservation reservation(pool);
  EXPECT_FALSE(reservation.TryGrow(11)->granted);
  EXPECT_EQ(reservation.size(), 0);
}

TEST(ReservationTest, OnlyWhatIsHeldCanBeGivenBackThoughThePoolHasMore) {
  CountingPool pool;
  Reservation first(pool);
  Reservation second(pool);
  ASSERT_TRUE(first.TryGrow(50)->granted);
  ASSERT_TRUE(second.TryGrow(10)->granted);
  EXPECT_EQ(second.Shrink(11).message(), "reservation: cannot shrink by 11 bytes of 10");
  EXPECT_EQ(second.Shrink(-1).message(), "reservation: cannot shrink by -1 bytes of 10");
  EXPECT_TRUE(second.Shrink(4).ok());
  EXPECT_EQ(second.size(), 6);
  EXPECT_EQ(pool.reserved(), 56);
}

TEST(ReservationTest, AFaultOfThePoolSurfaces) {
  BreakablePool pool;
  Reservation reservation(pool);
  ASSERT_TRUE(reservation.TryGrow(5)->granted);
  pool.broken = true;
  EXPECT_EQ(reservation.TryGrow(5).status().message(), "the executor is gone");
  EXPECT_EQ(reservation.size(), 5);
  EXPECT_EQ(reservation.Free().message(), "the executor is gone");
  EXPECT_EQ(reservation.size(), 0) << "not returned a second time";
  EXPECT_TRUE(reservation.Free().ok());
  EXPECT_EQ(pool.shrinks, 1);
}

TEST(ReservationTest, AMovedReservationIsReleasedOnce) {
  CountingPool pool;
  Reservation held(pool);
  ASSERT_TRUE(held.TryGrow(7)->granted);
  {
    Reservation other(pool);
    ASSERT_TRUE(other.TryGrow(3)->granted);
    other = std::move(held);
    EXPECT_EQ(pool.reserved(), 7) << "what it held before went back";
    Reservation last(std::move(other));
    EXPECT_EQ(last.size(), 7);
  }
  EXPECT_EQ(pool.reserved(), 0);
  EXPECT_EQ(pool.counters().release_calls, 2u);
}

}  // namespace
}  // namespace spillway::memory
