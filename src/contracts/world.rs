//! What a contract's names and pointers stand for, when it is evaluated.
//!
//! In: nothing. Out: the interface that an interpreter's memory, a test or a solver's model implements for `eval`.

use super::ast::Launch;

/// What a term denotes. `P` and `O` are the world's pointers and objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<P, O> {
    Int(i128),
    Null,
    Pointer(P),
    Object(O),
}

/// What the world says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading<T> {
    Value(T),
    /// There is no such value in this world: a read outside of an object, a size of a dimension that the tensor has not.
    Nothing,
    /// There may be one; the world does not know it.
    Unknown,
}

/// Values of names, members and memory.
pub trait World {
    type Pointer: Clone;
    /// Structs and tensors.
    type Object: Clone;

    /// Of a parameter or a constant. An array is the pointer to its first element.
    fn name(&self, name: &str) -> Reading<Value<Self::Pointer, Self::Object>>;
    fn launch(&self, term: Launch) -> Reading<i128>;
    fn member(&self, of: &Self::Object, name: &str) -> Reading<Value<Self::Pointer, Self::Object>>;
    /// Of `x.size(1)` and its kin. `name` has the types that it is instantiated for, as in `data_ptr<float>`.
    fn method(
        &self,
        of: &Value<Self::Pointer, Self::Object>,
        name: &str,
        args: &[i128],
    ) -> Reading<Value<Self::Pointer, Self::Object>>;
    /// Element `index` of what is no pointer: of a tensor's storage.
    fn element(&self, _of: &Self::Object, _index: i128) -> Reading<Value<Self::Pointer, Self::Object>> {
        Reading::Unknown
    }
    /// The element that the pointer points to.
    fn load(&self, from: &Self::Pointer) -> Reading<Value<Self::Pointer, Self::Object>>;
    /// The pointer, so many elements further. It may point anywhere.
    fn advance(&self, pointer: &Self::Pointer, elements: i128) -> Reading<Self::Pointer>;
    /// Bytes from the pointer to the end of its object; negative beyond that.
    fn extent(&self, pointer: &Self::Pointer) -> Reading<i128>;
    /// Bytes of an element; more than 0.
    fn element_size(&self, pointer: &Self::Pointer) -> Reading<i128>;
    /// Bytes of a type.
    fn size_of(&self, type_name: &str) -> Reading<i128>;
    /// Whether both are one address.
    fn same(&self, a: &Self::Pointer, b: &Self::Pointer) -> Reading<bool>;
    /// Whether a byte from `a` to the end of its object is one from `b` to the end of its.
    fn shares(&self, a: &Self::Pointer, b: &Self::Pointer) -> Reading<bool>;
}
