//! A function with few and small arguments: `f(int n, int m, unsigned k, const int *p, const int *q, tensor x, const
//! shape *t, void *v, float alpha)`.

use crate::ast::{Dim3Member, LaunchProperty, Sort};
use crate::resolve::{MemberFunction, Scope, TypeDesc};
use crate::world::{TermValue, World, WorldAnswer};

pub struct Signature {
    pub kernel: bool,
}

fn of(sort: Sort, name: &str) -> TypeDesc {
    TypeDesc::new(sort, name)
}

impl Scope for Signature {
    fn owner(&self) -> String {
        if self.kernel { "kernel f".into() } else { "function f".into() }
    }

    fn name(&self, name: &str) -> Option<TypeDesc> {
        Some(match name {
            "n" | "m" | "ns::kMax" => of(Sort::Integer, "int"),
            "k" => of(Sort::Integer, "unsigned int"),
            "p" | "q" => of(Sort::Pointer, "const int *"),
            "x" => of(Sort::Object, "tensor"),
            "t" => of(Sort::Pointer, "const shape *"),
            "v" => of(Sort::Pointer, "void *"),
            "alpha" => of(Sort::Object, "float"),
            _ => return None,
        })
    }

    fn names(&self) -> Vec<String> {
        ["n", "m", "k", "p", "q", "x", "t", "v", "alpha", "ns::kMax"].map(str::to_owned).to_vec()
    }

    fn member(&self, of_type: &TypeDesc, name: &str) -> Option<TypeDesc> {
        match (of_type.name.as_str(), name) {
            ("shape", "ne") => Some(of(Sort::Pointer, "long[2]")),
            ("shape", "rank") => Some(of(Sort::Integer, "long")),
            _ => None,
        }
    }

    fn members(&self, of_type: &TypeDesc) -> Vec<String> {
        if of_type.name == "shape" { vec!["ne".into(), "rank".into()] } else { vec![] }
    }

    fn method(&self, of_type: &TypeDesc, name: &str) -> Option<MemberFunction> {
        let method = |arguments, sort, name| Some(MemberFunction { arguments, result: of(sort, name) });
        match (of_type.name.as_str(), name) {
            ("tensor", "size") => method(1, Sort::Integer, "long"),
            ("tensor", "dim" | "numel") => method(0, Sort::Integer, "long"),
            ("tensor", "data_ptr") => method(0, Sort::Pointer, "float *"),
            _ => None,
        }
    }

    fn methods(&self, of_type: &TypeDesc) -> Vec<String> {
        let all: &[&str] = if of_type.name == "tensor" { &["size", "dim", "numel", "data_ptr"] } else { &[] };
        all.iter().map(|m| (*m).to_owned()).collect()
    }

    fn element(&self, of_type: &TypeDesc) -> Option<TypeDesc> {
        Some(match of_type.name.as_str() {
            "const int *" => of(Sort::Integer, "int"),
            "float *" => of(Sort::Object, "float"),
            "const shape *" => of(Sort::Object, "shape"),
            "long[2]" => of(Sort::Integer, "long"),
            _ => return None,
        })
    }

    fn size_of(&self, type_name: &str) -> Option<u64> {
        matches!(type_name, "float" | "int").then_some(4)
    }

    fn launched(&self) -> bool {
        self.kernel
    }
}

#[derive(Clone, Debug, Default)]
pub struct Small {
    pub n: i128,
    pub m: i128,
    pub k: i128,
    /// Arrays that `p` and `q` point into; `None` for a null pointer.
    pub arrays: [Option<Vec<i128>>; 2],
    /// Distance of `q` from `p`, if `q` points into the same array.
    pub alias: Option<i128>,
    pub sizes: Vec<i128>,
    pub ne: [i128; 2],
    pub grid: i128,
}

/// An array and an index: arrays 0 and 1 are those of `p` and `q`, 2 is the shape that `t` points to, 3 its `ne`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(usize, i128);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    Tensor,
    Shape,
}

impl Small {
    fn array(&self, which: usize) -> &[i128] {
        match which {
            0 | 1 => self.arrays[which].as_deref().unwrap_or_default(),
            2 => &[0],
            _ => &self.ne,
        }
    }

    fn pointer(&self, which: usize) -> TermValue<Place, Thing> {
        if self.arrays[which].is_some() { TermValue::Pointer(Place(which, 0)) } else { TermValue::Null }
    }
}

impl World for Small {
    type Pointer = Place;
    type Object = Thing;

    fn name(&self, name: &str) -> WorldAnswer<TermValue<Place, Thing>> {
        WorldAnswer::Value(match name {
            "n" => TermValue::Int(self.n),
            "m" => TermValue::Int(self.m),
            "k" => TermValue::Int(self.k),
            "p" => self.pointer(0),
            "q" => match self.alias {
                Some(by) if self.arrays[0].is_some() => TermValue::Pointer(Place(0, by)),
                _ => self.pointer(1),
            },
            "x" => TermValue::Object(Thing::Tensor),
            "t" => TermValue::Pointer(Place(2, 0)),
            _ => return WorldAnswer::Unknown,
        })
    }

    fn launch(&self, term: LaunchProperty) -> WorldAnswer<i128> {
        if term == LaunchProperty::Grid(Dim3Member::X) { WorldAnswer::Value(self.grid) } else { WorldAnswer::Unknown }
    }

    fn member(&self, of: &Thing, name: &str) -> WorldAnswer<TermValue<Place, Thing>> {
        match (of, name) {
            (Thing::Shape, "ne") => WorldAnswer::Value(TermValue::Pointer(Place(3, 0))),
            (Thing::Shape, "rank") => WorldAnswer::Value(TermValue::Int(2)),
            _ => WorldAnswer::Unknown,
        }
    }

    fn method(&self, of: &TermValue<Place, Thing>, name: &str, args: &[i128]) -> WorldAnswer<TermValue<Place, Thing>> {
        let product = || self.sizes.iter().product();
        match (of, name, args) {
            (TermValue::Object(Thing::Tensor), "size", [d]) => usize::try_from(*d)
                .ok()
                .and_then(|d| self.sizes.get(d))
                .map_or(WorldAnswer::Nothing, |s| WorldAnswer::Value(TermValue::Int(*s))),
            (TermValue::Object(Thing::Tensor), "numel", []) => WorldAnswer::Value(TermValue::Int(product())),
            _ => WorldAnswer::Unknown,
        }
    }

    fn load(&self, from: &Place) -> WorldAnswer<TermValue<Place, Thing>> {
        let Place(which, at) = *from;
        if which == 2 && at == 0 {
            return WorldAnswer::Value(TermValue::Object(Thing::Shape));
        }
        let found = usize::try_from(at).ok().and_then(|at| self.array(which).get(at));
        found.map_or(WorldAnswer::Nothing, |v| WorldAnswer::Value(TermValue::Int(*v)))
    }

    fn advance(&self, pointer: &Place, elements: i128) -> WorldAnswer<Place> {
        pointer.1.checked_add(elements).map_or(WorldAnswer::Unknown, |at| WorldAnswer::Value(Place(pointer.0, at)))
    }

    fn extent(&self, pointer: &Place) -> WorldAnswer<i128> {
        let length = i128::try_from(self.array(pointer.0).len()).unwrap();
        (length - pointer.1).checked_mul(4).map_or(WorldAnswer::Unknown, WorldAnswer::Value)
    }

    fn element_size(&self, _: &Place) -> WorldAnswer<i128> {
        WorldAnswer::Value(4)
    }

    fn size_of(&self, type_name: &str) -> WorldAnswer<i128> {
        if type_name == "float" { WorldAnswer::Value(4) } else { WorldAnswer::Unknown }
    }

    fn same(&self, a: &Place, b: &Place) -> WorldAnswer<bool> {
        WorldAnswer::Value(a == b)
    }

    fn shares(&self, a: &Place, b: &Place) -> WorldAnswer<bool> {
        let length = i128::try_from(self.array(a.0).len()).unwrap();
        WorldAnswer::Value(a.0 == b.0 && a.1 < length && b.1 < length)
    }
}
