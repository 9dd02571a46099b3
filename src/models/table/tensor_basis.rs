//! Primitives of the tensor models in `templates/models/aten.cpp`.

use crate::row::{FunctionRow, host};

#[rustfmt::skip]
pub(super) const ROWS: &[FunctionRow] = &[
    host(&[
        "__scuba_device_memory", "__scuba_device_copy", "__scuba_extent", "__scuba_known", "__scuba_axiom", "__scuba_any",
        "__scuba_times", "__scuba_product", "__scuba_setting", "__scuba_given", "__scuba_asked", "__scuba_held",
        "__scuba_refuses", "__scuba_extreme", "__scuba_keep_extreme", "__scuba_whole",
    ]).gives_nothing_else().writes_only_its_own(),
    host(&["__scuba_written"]).gives_nothing_else().keeps_no_address(),
];
