//! Types: the built-in ones and those of the LLVM dialect, which omits its prefix inside its own types.

use super::cursor::MlirResult;
use super::operation::OperationReader;
use super::{FunctionType, MemRef, Type};
use std::sync::Arc;

impl OperationReader<'_> {
    pub(super) fn ty(&mut self) -> MlirResult<Type> {
        self.at.descend()?;
        let t = match self.at.peek() {
            b'!' => self.dialect_type(),
            b'(' => self.function_type(),
            _ => {
                let start = self.at.position();
                let w = self.at.word();
                match self.builtin(w)? {
                    Some(t) => Ok(t),
                    None if w.is_empty() => self.at.error_at(start, "expected a type"),
                    None => self.at.error_at(start, format!("`{w}` is not a type")),
                }
            }
        };
        self.at.ascend();
        t
    }

    /// Parses a type inside `!llvm.…<>`: `ptr`, `struct<…>`, or any other type.
    fn llvm_inner(&mut self) -> MlirResult<Type> {
        self.at.descend()?;
        let w = self.at.peek_word();
        let t = if matches!(
            w,
            "ptr"
                | "struct"
                | "array"
                | "func"
                | "vec"
                | "void"
                | "x86_mmx"
                | "metadata"
                | "token"
                | "label"
                | "ppc_fp128"
        ) {
            self.at.word();
            self.llvm(w)
        } else {
            self.ty()
        };
        self.at.ascend();
        t
    }

    fn dialect_type(&mut self) -> MlirResult<Type> {
        let name = self.at.sigil("!", "a type")?;
        if let Some((t, extent)) = self.type_aliases.get(name).cloned() {
            self.at.grow(extent)?;
            return Ok(t);
        }
        if let Some(w) = name.strip_prefix("llvm.") {
            return self.llvm(w);
        }
        let mut text = format!("!{name}");
        if self.at.raw() == b'<' {
            text.push_str(self.at.balanced()?);
        }
        Ok(Type::Other(text))
    }

    fn llvm(&mut self, word: &str) -> MlirResult<Type> {
        match word {
            "void" => Ok(Type::Void),
            "ptr" => {
                let (mut pointee, mut space) = (None, 0);
                if self.at.raw() == b'<' {
                    self.at.require("<")?;
                    if self.at.peek().is_ascii_digit() {
                        space = self.number_u32()?;
                    } else {
                        pointee = Some(Arc::new(self.llvm_inner()?));
                        if self.at.accept(",") {
                            space = self.number_u32()?;
                        }
                    }
                    self.at.require(">")?;
                }
                Ok(Type::Ptr { pointee, space })
            }
            "array" | "vec" => {
                self.at.require("<")?;
                let scalable = self.at.accept("?");
                if scalable {
                    self.at.require("x")?;
                }
                let count = self.at.unsigned()?;
                self.at.require("x")?;
                let elem = Arc::new(self.llvm_inner()?);
                self.at.require(">")?;
                if scalable {
                    return Ok(Type::Other("a scalable vector".into()));
                }
                Ok(if word == "array" {
                    Type::Array { count, elem }
                } else {
                    Type::Vector { shape: vec![count], elem }
                })
            }
            "struct" => self.structure(),
            "func" => {
                self.at.require("<")?;
                let ret = self.llvm_inner()?;
                let (mut params, mut variadic) = (vec![], false);
                self.at.require("(")?;
                while !self.at.accept(")") {
                    if !params.is_empty() {
                        self.at.require(",")?;
                    }
                    if self.at.accept("...") {
                        variadic = true;
                        self.at.require(")")?;
                        break;
                    }
                    params.push(self.llvm_inner()?);
                }
                self.at.require(">")?;
                let results = if ret == Type::Void { vec![] } else { vec![ret] };
                Ok(Type::Func(Arc::new(FunctionType { params, results, variadic })))
            }
            _ => {
                let mut text = format!("!llvm.{word}");
                if self.at.raw() == b'<' {
                    text.push_str(self.at.balanced()?);
                }
                Ok(Type::Other(text))
            }
        }
    }

    fn structure(&mut self) -> MlirResult<Type> {
        let measure = self.at.measure();
        self.at.require("<")?;
        let mut name = None;
        let mut more = true;
        if self.at.peek() == b'"' {
            name = Some(self.at.string()?);
            more = self.at.accept(",");
        }
        let (mut fields, mut packed) = (None, false);
        if more {
            if self.at.peek_word() == "opaque" {
                self.at.word();
            } else {
                if self.at.peek_word() == "packed" {
                    self.at.word();
                    packed = true;
                }
                self.at.require("(")?;
                fields = Some(Arc::new(self.until(")", Self::llvm_inner)?));
            }
        }
        self.at.require(">")?;
        let extent = self.at.measured(measure);
        // A name alone refers to an earlier structure of that name.
        if let Some(n) = &name {
            if let Some(f) = &fields {
                self.structs.insert(n.clone(), (f.clone(), extent));
            } else if let Some((f, extent)) = self.structs.get(n).cloned() {
                self.at.grow(extent)?;
                fields = Some(f);
            }
        }
        Ok(Type::Struct { name, fields, packed })
    }

    fn number_u32(&mut self) -> MlirResult<u32> {
        let start = self.at.position();
        u32::try_from(self.at.unsigned()?).or_else(|_| self.at.error_at(start, "a number out of range"))
    }

    /// Parses `(a, b) -> c` or `(a, b) -> (c, d)`.
    pub(super) fn function_type(&mut self) -> MlirResult<Type> {
        let params = self.type_list()?;
        self.at.require("->")?;
        let results = if self.at.peek() == b'(' { self.type_list()? } else { vec![self.ty()?] };
        Ok(Type::Func(Arc::new(FunctionType { params, results, variadic: false })))
    }

    fn type_list(&mut self) -> MlirResult<Vec<Type>> {
        self.at.require("(")?;
        self.until(")", Self::ty)
    }

    /// Parses the built-in type that a word begins; `None` if there is none.
    pub(super) fn builtin(&mut self, word: &str) -> MlirResult<Option<Type>> {
        let bits =
            |prefix: &str| word.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok()).filter(|n| *n <= 1 << 24);
        Ok(Some(match word {
            "index" => Type::Index,
            "none" => Type::Void,
            "bf16" => Type::Float(16),
            "tf32" => Type::Float(32),
            "memref" => return self.memref().map(Some),
            "vector" => {
                self.at.require("<")?;
                let mut shape = vec![];
                let mut scalable = false;
                while self.at.peek().is_ascii_digit() || self.at.peek() == b'[' {
                    let bracket = self.at.accept("[");
                    scalable |= bracket;
                    shape.push(self.at.unsigned()?);
                    if bracket {
                        self.at.require("]")?;
                    }
                    self.at.require("x")?;
                }
                let elem = Arc::new(self.ty()?);
                self.at.require(">")?;
                if scalable { Type::Other("a scalable vector".into()) } else { Type::Vector { shape, elem } }
            }
            "tensor" | "complex" | "tuple" => {
                let rest = self.at.balanced()?;
                Type::Other(format!("{word}{rest}"))
            }
            _ => match (bits("i").or_else(|| bits("si")).or_else(|| bits("ui")), word) {
                (Some(n), _) if n > 0 => Type::Int(n),
                (_, "f16" | "f32" | "f64" | "f80" | "f128") => Type::Float(bits("f").unwrap_or(32)),
                (_, w) if w.starts_with("f8E") => Type::Float(8),
                _ => return Ok(None),
            },
        }))
    }

    fn memref(&mut self) -> MlirResult<Type> {
        let start = self.at.position();
        self.at.require("<")?;
        let mut shape = vec![];
        loop {
            self.at.skip();
            if self.at.accept("*") {
                self.at.require("x")?;
                self.ty()?;
                let elem = Type::Other(format!("an unranked memory{}", self.at.since(start)));
                return self.memref_end(vec![], elem);
            }
            if self.at.raw() == b'?' {
                self.at.require("?")?;
                shape.push(None);
            } else if self.at.raw().is_ascii_digit() {
                shape.push(Some(self.at.unsigned()?));
            } else {
                break;
            }
            self.at.require("x")?;
        }
        let elem = self.ty()?;
        self.memref_end(shape, elem)
    }

    fn memref_end(&mut self, shape: Vec<Option<u64>>, elem: Type) -> MlirResult<Type> {
        let (mut space, mut layout) = (0, None);
        while self.at.accept(",") {
            let start = self.at.position();
            match self.attribute()? {
                super::Attr::Int(v, _) => {
                    space = u32::try_from(v).or_else(|_| self.at.error_at(start, "an address space out of range"))?;
                }
                super::Attr::Map(m) if m.is_identity() => {}
                // `#gpu.address_space<workgroup>`.
                super::Attr::Other(t) if t.contains("workgroup") => space = 3,
                super::Attr::Other(t) if t.contains("address_space") => space = 0,
                _ => layout = Some(self.at.since(start).to_owned()),
            }
        }
        self.at.require(">")?;
        Ok(Type::MemRef(Arc::new(MemRef { shape, elem, space, layout })))
    }
}
