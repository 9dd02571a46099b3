// A little of what cuda_tile.h (CUDA 13.3) declares, in the same spellings: functions over blocks of elements, which the compiler itself has.
#pragma once

namespace cuda::tiles::inline __1 {

template <class Element, int Count>
class __tile_builtin__ tile {
  unsigned char bytes[sizeof(Element) * Count];

public:
  tile() = default;
};

enum class __tile_builtin__ memory_order : unsigned char { relaxed };

template <class Tile> __tile_builtin__ Tile iota() noexcept;
template <class Tile> __tile_builtin__ Tile ones() noexcept;
template <class T, int Count> __tile_builtin__ tile<T *, Count> operator+(T *base, tile<int, Count> offsets) noexcept;
template <class T, int Count> __tile_builtin__ tile<T, Count> operator+(tile<T, Count> a, tile<T, Count> b) noexcept;
template <class T, int Count> __tile_builtin__ tile<bool, Count> operator<(tile<T, Count> a, T b) noexcept;

template <class T, int Count> __tile_builtin__ tile<T, Count> load(tile<T *, Count> from) noexcept;
template <class T, int Count> __tile_builtin__ void store(tile<T *, Count> to, tile<T, Count> what) noexcept;
template <class T, int Count>
__tile_builtin__ void store_masked(tile<T *, Count> to, tile<T, Count> what, tile<bool, Count> where) noexcept;
template <memory_order Order, class T, int Count>
__tile_builtin__ tile<T, Count> atomic_add(tile<T *, Count> to, tile<T, Count> what) noexcept;

template <class T, int Count>
struct __tile_builtin__ partition_view {
  T *data;
  __tile_builtin__ tile<T, Count> load(int index) const noexcept;
};

} // namespace cuda::tiles::inline __1
