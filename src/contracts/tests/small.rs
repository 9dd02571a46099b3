//! A function with few and small arguments: `f(int n, int m, unsigned k, const int *p, const int *q, tensor x, const
//! shape *t, void *v, float alpha)`.

use crate::ast::{Axis, Launch, Sort};
use crate::resolve::{Method, Scope, TypeDesc};
use crate::world::{Reading, Value, World};

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

    fn method(&self, of_type: &TypeDesc, name: &str) -> Option<Method> {
        let method = |arguments, sort, name| Some(Method { arguments, result: of(sort, name) });
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

    fn pointer(&self, which: usize) -> Value<Place, Thing> {
        if self.arrays[which].is_some() { Value::Pointer(Place(which, 0)) } else { Value::Null }
    }
}

impl World for Small {
    type Pointer = Place;
    type Object = Thing;

    fn name(&self, name: &str) -> Reading<Value<Place, Thing>> {
        Reading::Value(match name {
            "n" => Value::Int(self.n),
            "m" => Value::Int(self.m),
            "k" => Value::Int(self.k),
            "p" => self.pointer(0),
            "q" => match self.alias {
                Some(by) if self.arrays[0].is_some() => Value::Pointer(Place(0, by)),
                _ => self.pointer(1),
            },
            "x" => Value::Object(Thing::Tensor),
            "t" => Value::Pointer(Place(2, 0)),
            _ => return Reading::Unknown,
        })
    }

    fn launch(&self, term: Launch) -> Reading<i128> {
        if term == Launch::Grid(Axis::X) { Reading::Value(self.grid) } else { Reading::Unknown }
    }

    fn member(&self, of: &Thing, name: &str) -> Reading<Value<Place, Thing>> {
        match (of, name) {
            (Thing::Shape, "ne") => Reading::Value(Value::Pointer(Place(3, 0))),
            (Thing::Shape, "rank") => Reading::Value(Value::Int(2)),
            _ => Reading::Unknown,
        }
    }

    fn method(&self, of: &Value<Place, Thing>, name: &str, args: &[i128]) -> Reading<Value<Place, Thing>> {
        let product = || self.sizes.iter().product();
        match (of, name, args) {
            (Value::Object(Thing::Tensor), "size", [d]) => usize::try_from(*d)
                .ok()
                .and_then(|d| self.sizes.get(d))
                .map_or(Reading::Nothing, |s| Reading::Value(Value::Int(*s))),
            (Value::Object(Thing::Tensor), "numel", []) => Reading::Value(Value::Int(product())),
            _ => Reading::Unknown,
        }
    }

    fn load(&self, from: &Place) -> Reading<Value<Place, Thing>> {
        let Place(which, at) = *from;
        if which == 2 && at == 0 {
            return Reading::Value(Value::Object(Thing::Shape));
        }
        let found = usize::try_from(at).ok().and_then(|at| self.array(which).get(at));
        found.map_or(Reading::Nothing, |v| Reading::Value(Value::Int(*v)))
    }

    fn advance(&self, pointer: &Place, elements: i128) -> Reading<Place> {
        pointer.1.checked_add(elements).map_or(Reading::Unknown, |at| Reading::Value(Place(pointer.0, at)))
    }

    fn extent(&self, pointer: &Place) -> Reading<i128> {
        let length = i128::try_from(self.array(pointer.0).len()).unwrap();
        (length - pointer.1).checked_mul(4).map_or(Reading::Unknown, Reading::Value)
    }

    fn element_size(&self, _: &Place) -> Reading<i128> {
        Reading::Value(4)
    }

    fn size_of(&self, type_name: &str) -> Reading<i128> {
        if type_name == "float" { Reading::Value(4) } else { Reading::Unknown }
    }

    fn same(&self, a: &Place, b: &Place) -> Reading<bool> {
        Reading::Value(a == b)
    }

    fn shares(&self, a: &Place, b: &Place) -> Reading<bool> {
        let length = i128::try_from(self.array(a.0).len()).unwrap();
        Reading::Value(a.0 == b.0 && a.1 < length && b.1 < length)
    }
}
