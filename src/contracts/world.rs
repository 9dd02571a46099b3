//! Values of a contract's names and pointers during evaluation.
//!
//! In: nothing. Out: the interface that an interpreter's memory, a test or a solver's model implements for `eval`.

use super::ast::LaunchProperty;

/// Value of a term. `P` and `O` are the world's pointers and objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermValue<P, O> {
    Int(i128),
    Null,
    Pointer(P),
    Object(O),
}

/// Result of a query to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldAnswer<T> {
    Value(T),
    /// The value does not exist in this world: a read outside of an object, or the size of a dimension that the
    /// tensor does not have.
    Nothing,
    /// The value may exist, but the world does not know it.
    Unknown,
}

/// Values of names, members and memory.
pub trait World {
    type Pointer: Clone;
    /// Structs and tensors.
    type Object: Clone;

    /// Value of a parameter or a constant. An array is the pointer to its first element.
    fn name(&self, name: &str) -> WorldAnswer<TermValue<Self::Pointer, Self::Object>>;
    fn launch(&self, term: LaunchProperty) -> WorldAnswer<i128>;
    fn member(&self, of: &Self::Object, name: &str) -> WorldAnswer<TermValue<Self::Pointer, Self::Object>>;
    /// Result of a method such as `x.size(1)`. `name` includes template arguments, as in `data_ptr<float>`.
    fn method(
        &self,
        of: &TermValue<Self::Pointer, Self::Object>,
        name: &str,
        args: &[i128],
    ) -> WorldAnswer<TermValue<Self::Pointer, Self::Object>>;
    /// Element `index` of an object that is no pointer: of a tensor's storage.
    fn element(&self, _of: &Self::Object, _index: i128) -> WorldAnswer<TermValue<Self::Pointer, Self::Object>> {
        WorldAnswer::Unknown
    }
    /// Element that the pointer points to.
    fn load(&self, from: &Self::Pointer) -> WorldAnswer<TermValue<Self::Pointer, Self::Object>>;
    /// The pointer advanced by `elements`. It may point anywhere.
    fn advance(&self, pointer: &Self::Pointer, elements: i128) -> WorldAnswer<Self::Pointer>;
    /// Bytes from the pointer to the end of its object; negative past the end.
    fn extent(&self, pointer: &Self::Pointer) -> WorldAnswer<i128>;
    /// Element size in bytes; more than 0.
    fn element_size(&self, pointer: &Self::Pointer) -> WorldAnswer<i128>;
    /// Size of a type in bytes.
    fn size_of(&self, type_name: &str) -> WorldAnswer<i128>;
    /// Equality of both addresses.
    fn same(&self, a: &Self::Pointer, b: &Self::Pointer) -> WorldAnswer<bool>;
    /// Overlap of the bytes from `a` to the end of its object with those from `b` to the end of its object.
    fn shares(&self, a: &Self::Pointer, b: &Self::Pointer) -> WorldAnswer<bool>;
}
