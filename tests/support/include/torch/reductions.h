// Operations that reduce, sort, select and multiply, with ATen's names and arguments: a part of `at::_ops` in torch/extension.h.
OF_ONE(max) OF_ONE(min) OF_ONE(any) OF_ONE(all) OF_ONE(nonzero)
#define OF_TYPE(op) struct op { static Tensor call(const Tensor &self, std::optional<ScalarType> dtype); };
OF_TYPE(sum) OF_TYPE(prod) OF_TYPE(mean)
#define OVER(op) struct op { static Tensor call(const Tensor &self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype); };
OVER(sum_dim_IntList) OVER(mean_dim)
struct prod_dim_int { static Tensor call(const Tensor &self, int64_t dim, bool keepdim, std::optional<ScalarType> dtype); };
#define ALONG_ONE(op, Result) struct op { static Result call(const Tensor &self, int64_t dim, bool keepdim); };
using Pair = std::tuple<Tensor, Tensor>;
ALONG_ONE(max_dim, Pair) ALONG_ONE(min_dim, Pair) ALONG_ONE(any_dim, Tensor) ALONG_ONE(all_dim, Tensor)
#define OVER_ALL(op) struct op { static Tensor call(const Tensor &self, IntArrayRef dim, bool keepdim); };
OVER_ALL(amax) OVER_ALL(amin)
#define PLACE(op) struct op { static Tensor call(const Tensor &self, std::optional<int64_t> dim, bool keepdim); };
PLACE(argmax) PLACE(argmin)
struct sort { static Pair call(const Tensor &self, int64_t dim, bool descending); };
struct sort_stable { static Pair call(const Tensor &self, std::optional<bool> stable, int64_t dim, bool descending); };
struct argsort { static Tensor call(const Tensor &self, int64_t dim, bool descending); };
struct flip { static Tensor call(const Tensor &self, IntArrayRef dims); };
#define OF_PAIR(op) struct op { static Tensor call(const Tensor &self, const Tensor &other); };
OF_PAIR(matmul) OF_PAIR(mm) OF_PAIR(bmm) OF_PAIR(masked_select)
struct linear { static Tensor call(const Tensor &input, const Tensor &weight, const std::optional<Tensor> &bias); };
struct index_select { static Tensor call(const Tensor &self, int64_t dim, const Tensor &index); };
struct where_self { static Tensor call(const Tensor &condition, const Tensor &self, const Tensor &other); };
struct stack { static Tensor call(TensorList tensors, int64_t dim); };
struct zero_ { static Tensor &call(Tensor &self); };
struct fill__Scalar { static Tensor &call(Tensor &self, const Scalar &value); };
struct copy_ { static Tensor &call(Tensor &self, const Tensor &src, bool non_blocking); };
