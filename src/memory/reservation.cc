// SPDX-License-Identifier: Apache-2.0
#include "src/memory/reservation.h"

#include <utility>

#include "src/base/status.h"

namespace spillway::memory {

Reservation::Reservation(Reservation&& other) noexcept
    : pool_(other.pool_), size_(std::exchange(other.size_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    Free().IgnoreError();
    pool_ = other.pool_;
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

absl::StatusOr<Grant> Reservation::TryGrow(int64_t bytes) {
  if (bytes == 0) return Grant{.granted = true};
  SPILLWAY_ASSIGN_OR_RETURN(const Grant grant, pool_->TryGrow(bytes));
  if (grant.granted) size_ += bytes;
  return grant;
}

absl::Status Reservation::Shrink(int64_t bytes) {
  if (bytes < 0 || bytes > size_) {
    return base::Invalid("reservation: cannot shrink by ", bytes, " bytes of ", size_);
  }
  if (bytes == 0) return absl::OkStatus();
  size_ -= bytes;
  return pool_->Shrink(bytes);
}

}  // namespace spillway::memory
