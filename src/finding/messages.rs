//! Parts of messages that renderers read.

use crate::Finding;

/// Label of the kernel access to memory that a finding at the launch is about.
pub const USED_HERE: &str = "used here";

/// Label of the other accesses that the finding's missing check would fix.
pub const SAME_CHECK: &str = "the same check is missing for this access";

/// End of the message of a finding at an address that depends on a variable without a value; the variable's name stands
/// before it.
pub const NEVER_SET: &str = "was never set";

/// Words of a note on a side of a copy or fill that is undecided; its name follows.
pub const UNDECIDED_COPY: &str = "whether the call stays within";

impl Finding {
    /// Returns the variable without a value that the address depends on, if that is what is wrong.
    #[must_use]
    pub fn never_set(&self) -> Option<&str> {
        let before = self.message.strip_suffix(NEVER_SET)?;
        before.rsplit('`').nth(1)
    }
}

#[cfg(test)]
mod tests {
    use crate::samples;

    #[test]
    fn the_variable_without_a_value_is_the_last_one() {
        let mut f = samples::finding();
        assert_eq!(f.never_set(), None);
        f.message = "write of `out` at an index that depends on `d`, which was never set".into();
        assert_eq!(f.never_set(), Some("d"));
        f.message = "read of `p` through a pointer that was never set".into();
        assert_eq!(f.never_set(), Some("p"));
    }
}
