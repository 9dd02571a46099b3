//! The C++ library and its runtime (C++17, libstdc++, Itanium C++ ABI), by symbols and by patterns of symbols and demangled names.

use crate::returns::Returns::Never;
use crate::row::{Kind, On, Row, Throws, host, host_starts};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    host(&[
        "_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZnwmRKSt9nothrow_t",
        "_ZnamRKSt9nothrow_t", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t",
        "_ZdlPvmSt11align_val_t",
    ]).gives_nothing_else(),
    host(&[
        "__cxa_guard_acquire", "__cxa_guard_release", "__cxa_guard_abort",
    ]).gives_nothing_else(),
    host(&["_Unwind_Resume"]).gives_nothing_else().writes_only_its_own().returns(Never),
    host(&["_ZSt9terminatev"]).gives_nothing_else().returns(Never),
    host(&[
        "_ZSt17__throw_bad_allocv", "_ZSt28__throw_bad_array_new_lengthv", "_ZSt20__throw_length_errorPKc",
        "_ZSt20__throw_out_of_rangePKc", "_ZSt24__throw_out_of_range_fmtPKcz", "_ZSt19__throw_logic_errorPKc",
        "_ZSt24__throw_invalid_argumentPKc",
    ]).gives_nothing_else().neither("neither knows more than its attributes"),
    host(&[
        "__cxa_allocate_exception", "__cxa_free_exception",
    ]).of_exceptions().concrete_only("attributes say all that it does to memory that is followed"),
    host(&[
        "__cxa_init_primary_exception", "__cxa_begin_catch", "__cxa_end_catch", "__cxa_get_exception_ptr",
        "__dynamic_cast",
    ]).of_exceptions().neither("neither knows more than its attributes"),
    host(&[
        "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "__cxa_bad_typeid", "__cxa_throw_bad_array_new_length",
        "__cxa_pure_virtual",
    ]).of_exceptions().returns(Never),
    host(&[
        "_ZSt10unexpectedv", "__clang_call_terminate", "__cxa_call_terminate", "__cxa_call_unexpected",
        "__cxa_deleted_virtual", "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
        "_ZSt21__glibcxx_assert_failPKciS0_S0_",
    ]).returns(Never),
    host_starts(&[
        "_ZSt17__throw_bad_alloc", "_ZSt28__throw_bad_array_new_length", "_ZSt20__throw_length_error",
        "__cxa_throw_bad_array_new_length", "_Znw", "_Zna",
    ]).throws(Throws::NoMemory).neither("functions that begin so have rows of their own, where they are modelled"),
    host_starts(&[
        "_ZNSo", "_ZStls", "_ZSt4endl", "_ZSt5flush", "_ZSt16__ostream_insert", "_ZNSt8ios_base", "_ZNSt9basic_ios",
        "_ZNKSt9basic_ios",
    ]).throws(Throws::Nothing),
    host_starts(&[
        "_ZNSt6chrono", "_ZdlPv", "_ZdaPv", "_ZSt9terminate", "__cxa_guard", "__cxa_begin_catch", "__cxa_end_catch",
        "__cxa_atexit", "__cxa_allocate_exception", "__cxa_free_exception",
    ]).throws(Throws::Nothing).neither("functions that begin so have rows of their own, where they are modelled"),
    host(&[
        "__cxa_atexit", "_ZNSi4readEPcl", "_ZNSo5tellpEv", "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c", "_ZNSolsEi", "_ZNSolsEj", "_ZNSolsEl", "_ZNSolsEm",
        "_ZNSolsEb", "_ZNSolsEd", "_ZNSolsEf", "_ZNSolsEs", "_ZNSolsEt",
        "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", "_ZNSirsERi", "_ZNSirsERj", "_ZNSirsERl",
        "_ZNSirsERx", "_ZNSirsERm", "_ZNSirsERy", "_ZNSirsERf", "_ZNSirsERd", "_ZNSi10_M_extractIlEERSiRT_",
        "_ZNSi10_M_extractIxEERSiRT_", "_ZNSi10_M_extractImEERSiRT_", "_ZNSi10_M_extractIyEERSiRT_",
        "_ZNSi10_M_extractIjEERSiRT_", "_ZNSi10_M_extractIfEERSiRT_", "_ZNSi10_M_extractIdEERSiRT_",
    ]),
    host_starts(&[
        "_ZSt4ends", "_ZNKSt8ios_base", "_ZSt7setfill", "_ZSt12setprecision", "_ZSt4setw", "_ZNSirsER",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1E", "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC2E",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openE", "_ZNSi", "_ZStrs", "_ZSt7getline", "_ZNSrs",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1ERKNSt7__cxx1112basic_string",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC2ERKNSt7__cxx1112basic_string",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openERKNSt7__cxx1112basic_string",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKc", "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC2EPKc",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openEPKc", "_ZNSols", "_ZNSt8ios_base4InitC",
        "_ZNSt8ios_base4InitD",
    ]),
    host_starts(&[
        "_ZStorSt", "_ZStanSt", "_ZSt13setiosflags", "_ZNSs",
    ]).symbolic_only("the interpreter runs the body that the header has, or loses what the arguments reach"),
    Row::new(On::Host, Kind::DemangledPart, &[
        "std::chrono::", "basic_string<", "std::uniform_int_distribution<", "std::basic_ofstream",
        "std::basic_ifstream", "std::basic_fstream", "std::basic_filebuf", "std::locale", "basic_stringstream",
        "basic_ostringstream", "basic_istringstream", "basic_stringbuf", "basic_streambuf",
        "std::mersenne_twister_engine", "std::linear_congruential_engine", "std::random_device", "std::uniform_",
        "std::normal_distribution", "std::bernoulli_distribution", "std::discard_block_engine", "std::thread",
        "std::mutex::", "std::condition_variable", "std::regex", "std::filesystem", "std::_Rb_tree",
        "std::_Hashtable", "std::__detail::", "std::this_thread", "std::future", "std::async", "std::basic_regex",
        "std::ctype", "std::use_facet", "std::has_facet", "std::__convert", "std::__throw",
    ]).symbolic_only("the interpreter knows symbols, and runs bodies"),
    host(&[
        "_ZNSt7__cxx114stoiERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
        "_ZNSt7__cxx114stolERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
        "_ZNSt7__cxx115stollERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
        "_ZNSt7__cxx115stoulERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
        "_ZNSt7__cxx116stoullERKNS_12basic_stringIcSt11char_traitsIcESaIcEEEPmi",
    ]).symbolic_only("the interpreter runs the body that the header has"),
    Row::new(On::Host, Kind::Part, &["basic_string"]).symbolic_only("the interpreter knows symbols, and runs bodies"),
    Row::new(On::Host, Kind::DemangledStart, &[
        "void std::sort<", "void std::stable_sort<", "void std::shuffle<", "void std::random_shuffle<",
        "void std::reverse<", "void std::generate<", "void std::iota<", "void std::nth_element<",
        "void std::partial_sort<", "std::sort", "std::stable_sort",
    ]).symbolic_only("the interpreter knows symbols, and runs bodies"),
    host(&[
        "_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_t", "_ZdaPvmSt11align_val_t",
        "_ZdlPvRKSt9nothrow_t",
    ]).concrete_only("not yet: the spelling with an alignment and one argument more"),
    host(&[
        "_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv",
    ]).concrete_only("the executor knows it by the demangled name"),
    host(&[
        "_ZNSt8__detail15_List_node_base7_M_hookEPS0_", "_ZNSt8__detail15_List_node_base9_M_unhookEv",
        "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
        "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
        "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
        "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm",
        "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm",
    ]).concrete_only("the executor does not enter the containers that use it"),
    host(&[
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE14_M_replace_auxEmmmc",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE12_M_constructEmc",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7reserveEm",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv",
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc",
    ]).concrete_only("the executor knows strings by the demangled name"),
    host_starts(&[
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE7is_openEv", "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE5closeEv",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev", "_ZNSt14basic_ifstreamIcSt11char_traitsIcEED2Ev",
        "_ZNSt13basic_ostream", "_ZSt13__ostream_fill", "_ZNSt6locale", "_ZNKSt6locale", "_ZSt9use_facet",
        "_ZNKSt5ctype", "_ZNSt14basic_ofstream", "_ZNSt14basic_ifstream", "_ZNSt13basic_fstream",
        "_ZNSt13basic_filebuf", "_ZNKSt13basic_filebuf", "_ZNKSt14basic_ifstream", "_ZNKSt14basic_ofstream",
        "_ZNSt7__cxx1118basic_stringstream", "_ZNSt7__cxx1119basic_istringstream",
        "_ZNSt7__cxx1119basic_ostringstream", "_ZNSt7__cxx1115basic_stringbuf", "_ZNKSt7__cxx1118basic_stringstream",
        "_ZNKSt7__cxx1119basic_istringstream", "_ZNKSt7__cxx1119basic_ostringstream",
        "_ZNKSt7__cxx1115basic_stringbuf", "_ZNSt15basic_streambuf", "_ZNSt13basic_istream", "_ZNSt14basic_iostream",
        "_ZNSt13random_device", "_ZNSt6thread",
    ]).concrete_only("the executor knows it by the demangled name"),
    host_starts(&[
        "_ZSt7__write", "_ZSt7setbase", "_ZSt11setiosflags", "_ZSt13resetiosflags", "_ZSt5fixed", "_ZSt10scientific",
        "_ZSt3hex", "_ZSt3dec", "_ZSt4left", "_ZSt5right", "_ZSt9boolalpha", "_ZSt11noboolalpha", "_ZSt7showpos",
        "_ZSt8internal", "_ZSt9showpoint", "_ZNSt12__basic_file", "_ZNSd", "_ZSt2ws",
    ]).concrete_only("what it could write is lost, which is little"),
    host(&["__cxa_thread_atexit"]).concrete_only("attributes say all that it does to memory that is followed"),
];
