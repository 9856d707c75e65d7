// Memory on a disk, for what is too large for memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace dyad {

/// So many bytes, zero at first, of a file in `folder` that has no name: whatever ends the program, nothing stays behind. The system
/// writes them to the disk and reads them again as memory allows.
class ScratchFile {
 public:
  /// Throws std::runtime_error with the folder, the size and the reason if there is no room, or it cannot be written to.
  ScratchFile(const std::string& folder, std::size_t n_bytes);
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&& other) noexcept;
  ~ScratchFile();

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t n_bytes_ = 0;
};

}  // namespace dyad
