//! Attributes and locations.

use super::cursor::MlirResult;
use super::operation::OperationReader;
use super::{Attr, MlirLoc, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

impl OperationReader<'_> {
    /// Parses `{name = value, …}`, braces included.
    pub(super) fn dictionary(&mut self) -> MlirResult<BTreeMap<String, Attr>> {
        self.at.descend()?;
        self.at.require("{")?;
        let mut out = BTreeMap::new();
        self.until("}", |me| {
            let name = if me.at.peek() == b'"' { me.at.string()? } else { me.at.word().to_owned() };
            if name.is_empty() {
                return me.at.error("expected the name of an attribute");
            }
            let value = if me.at.accept("=") { me.attribute()? } else { Attr::Unit };
            out.insert(name, value);
            Ok(())
        })?;
        self.at.ascend();
        Ok(out)
    }

    pub(super) fn attribute(&mut self) -> MlirResult<Attr> {
        self.at.descend()?;
        let a = self.attribute_inner();
        self.at.ascend();
        a
    }

    fn attribute_inner(&mut self) -> MlirResult<Attr> {
        match self.at.peek() {
            b'"' => {
                let s = self.at.string()?;
                if self.at.accept(":") {
                    self.ty()?;
                }
                Ok(Attr::String(s))
            }
            b'0'..=b'9' | b'-' => self.number(),
            b'[' => {
                self.at.require("[")?;
                self.until("]", Self::attribute).map(Attr::Array)
            }
            b'{' => self.dictionary().map(Attr::Dict),
            b'@' => self.symbol().map(Attr::Symbol),
            b'!' => self.ty().map(Attr::Type),
            b'(' => self.function_type().map(Attr::Type),
            b'#' => self.dialect_attribute(),
            _ => self.keyword(),
        }
    }

    fn keyword(&mut self) -> MlirResult<Attr> {
        let start = self.at.position();
        let word = self.at.word();
        match word {
            "true" => Ok(Attr::Bool(true)),
            "false" => Ok(Attr::Bool(false)),
            "unit" => Ok(Attr::Unit),
            "affine_map" => self.affine_map().map(|m| Attr::Map(Arc::new(m))),
            "affine_set" => self.affine_set().map(|s| Attr::Set(Arc::new(s))),
            "loc" => {
                self.at.require("(")?;
                let l = self.location_inner()?;
                self.at.require(")")?;
                Ok(Attr::Loc(l))
            }
            "array" => self.dense_array(),
            "dense" => self.dense(),
            "strided" | "opaque" | "sparse" | "dense_resource" | "distinct" => {
                let mut text = word.to_owned();
                while matches!(self.at.raw(), b'<' | b'[') {
                    text.push_str(self.at.balanced()?);
                }
                if self.at.accept(":") {
                    self.ty()?;
                }
                Ok(Attr::Other(text))
            }
            "" => self.at.error("expected an attribute"),
            _ => match self.builtin(word)? {
                Some(t) => Ok(Attr::Type(t)),
                None => self.at.error_at(start, format!("`{word}` is not an attribute")),
            },
        }
    }

    /// Parses a symbol reference such as `@a::@"b c"`; returns the last name.
    pub(super) fn symbol(&mut self) -> MlirResult<String> {
        self.at.require("@")?;
        let mut name = if self.at.raw() == b'"' { self.at.string()? } else { self.at.suffix().to_owned() };
        while self.at.starts_with("::@") {
            self.at.require("::@")?;
            name = if self.at.raw() == b'"' { self.at.string()? } else { self.at.suffix().to_owned() };
        }
        if name.is_empty() {
            return self.at.error("expected the name of a symbol");
        }
        Ok(name)
    }

    fn dialect_attribute(&mut self) -> MlirResult<Attr> {
        let name = self.at.sigil("#", "an attribute")?;
        if let Some((_, extent)) = self.attr_aliases.get(name) {
            let extent = *extent;
            self.at.grow(extent)?;
        }
        if let Some((a, _)) = self.attr_aliases.get(name) {
            return Ok(a.clone());
        }
        let mut text = format!("#{name}");
        if self.at.raw() == b'<' {
            text.push_str(self.at.balanced()?);
        }
        Ok(Attr::Other(text))
    }

    fn type_after_colon(&mut self) -> MlirResult<Option<Type>> {
        if self.at.accept(":") { self.ty().map(Some) } else { Ok(None) }
    }

    fn number(&mut self) -> MlirResult<Attr> {
        let v = self.literal()?;
        let ty = self.type_after_colon()?;
        Ok(match (v, ty) {
            // The bit pattern of a float, in hexadecimal.
            (Attr::Int(v, _), Some(Type::Float(bits))) => Attr::Float(float_of_bits(v, bits), Some(Type::Float(bits))),
            (Attr::Int(v, _), ty) => Attr::Int(v, ty),
            (Attr::Float(v, _), ty) => Attr::Float(v, ty),
            (other, _) => other,
        })
    }

    /// Parses a number without its type.
    fn literal(&mut self) -> MlirResult<Attr> {
        self.at.skip();
        let start = self.at.position();
        let negative = self.at.accept_raw(b'-');
        let text = self.at.take(|c| c.is_ascii_alphanumeric() || c == b'.');
        let sign: i128 = if negative { -1 } else { 1 };
        if let Some(h) = text.strip_prefix("0x") {
            return match u64::from_str_radix(h, 16) {
                Ok(v) => Ok(Attr::Int(sign * i128::from(v), None)),
                Err(_) => self.at.error_at(start, "not a hexadecimal number"),
            };
        }
        if !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit()) {
            return match text.parse::<i128>() {
                Ok(v) => Ok(Attr::Int(sign * v, None)),
                Err(_) => self.at.error_at(start, "a number out of range"),
            };
        }
        // `1.000000e+00`: the sign of the exponent is not consumed with the letters.
        let mut text = text.to_owned();
        if text.ends_with(['e', 'E']) && matches!(self.at.raw(), b'+' | b'-') {
            text.push(char::from(self.at.raw()));
            self.at.take(|c| matches!(c, b'+' | b'-'));
            text.push_str(self.at.digits());
        }
        match text.parse::<f64>() {
            Ok(v) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                Ok(Attr::Float(if negative { -v } else { v }, None))
            }
            _ => self.at.error_at(start, "not a number"),
        }
    }

    /// Parses the rest of a dense array after `array`: `<i32: 1, 2>`.
    fn dense_array(&mut self) -> MlirResult<Attr> {
        self.at.require("<")?;
        let ty = self.ty()?;
        let mut v = vec![];
        if self.at.accept(":") {
            loop {
                v.push(match self.at.peek_word() {
                    w @ ("true" | "false") => {
                        self.at.word();
                        Attr::Bool(w == "true")
                    }
                    _ => match self.literal()? {
                        Attr::Int(v, _) => Attr::Int(v, Some(ty.clone())),
                        other => other,
                    },
                });
                if !self.at.accept(",") {
                    break;
                }
            }
        }
        self.at.require(">")?;
        Ok(Attr::Array(v))
    }

    /// Parses the rest of dense elements after `dense`: `<[0, 1]> : vector<2xi32>`.
    fn dense(&mut self) -> MlirResult<Attr> {
        self.at.require("<")?;
        let mut elems = vec![];
        if self.at.peek() == b'"' {
            elems.push(Attr::String(self.at.string()?));
        } else if self.at.peek() != b'>' {
            self.dense_elements(&mut elems)?;
        }
        self.at.require(">")?;
        let ty = self.type_after_colon()?;
        Ok(Attr::Dense { elems, ty })
    }

    fn dense_elements(&mut self, out: &mut Vec<Attr>) -> MlirResult<()> {
        self.at.descend()?;
        if self.at.accept("[") {
            self.until("]", |me| me.dense_elements(out))?;
        } else {
            out.push(match self.at.peek_word() {
                w @ ("true" | "false") => {
                    self.at.word();
                    Attr::Bool(w == "true")
                }
                _ if self.at.peek() == b'(' => Attr::Other(self.at.balanced()?.to_owned()),
                _ => self.literal()?,
            });
        }
        self.at.ascend();
        Ok(())
    }

    // ---- locations ----

    /// Parses `loc(…)`, if present.
    pub(super) fn location(&mut self) -> MlirResult<MlirLoc> {
        if self.at.peek_word() != "loc" {
            return Ok(MlirLoc::Unknown);
        }
        self.at.word();
        self.at.require("(")?;
        let l = self.location_inner()?;
        self.at.require(")")?;
        Ok(l)
    }

    pub(super) fn location_inner(&mut self) -> MlirResult<MlirLoc> {
        self.at.descend()?;
        let l = self.location_kind();
        self.at.ascend();
        l
    }

    fn location_kind(&mut self) -> MlirResult<MlirLoc> {
        match self.at.peek() {
            b'"' => {
                let file = self.at.string()?;
                // Without a position it is a name, optionally with its location.
                if !self.at.accept(":") {
                    if !self.at.accept("(") {
                        return Ok(MlirLoc::Unknown);
                    }
                    let inner = self.location_inner()?;
                    self.at.require(")")?;
                    return Ok(inner);
                }
                let line = self.at.unsigned()?;
                self.at.require(":")?;
                let column = self.at.unsigned()?;
                // Later versions write ranges: `to :3`, `to 4:5`.
                if self.at.peek_word() == "to" {
                    self.at.word();
                    if self.at.peek() != b':' {
                        self.at.unsigned()?;
                    }
                    self.at.require(":")?;
                    self.at.unsigned()?;
                }
                let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
                let file = self.file(&file);
                Ok(MlirLoc::File(file, narrow(line), narrow(column)))
            }
            b'#' => {
                self.at.require("#")?;
                let name = self.at.suffix();
                Ok(MlirLoc::Alias(Arc::from(name)))
            }
            _ => {
                let start = self.at.position();
                match self.at.word() {
                    "unknown" => Ok(MlirLoc::Unknown),
                    "callsite" => {
                        self.at.require("(")?;
                        let callee = self.location_inner()?;
                        if self.at.word() != "at" {
                            return self.at.error("expected `at`");
                        }
                        let caller = self.location_inner()?;
                        self.at.require(")")?;
                        Ok(MlirLoc::Call(Arc::new((callee, caller))))
                    }
                    "fused" => {
                        if self.at.peek() == b'<' {
                            self.at.balanced()?;
                        }
                        self.at.require("[")?;
                        let all = self.until("]", Self::location_inner)?;
                        Ok(all.into_iter().find(|l| *l != MlirLoc::Unknown).unwrap_or(MlirLoc::Unknown))
                    }
                    w => self.at.error_at(start, format!("`{w}` is not a location")),
                }
            }
        }
    }
}

/// Converts a bit pattern to a float.
fn float_of_bits(v: i128, bits: u32) -> f64 {
    match bits {
        32 => u32::try_from(v).map_or(f64::NAN, |b| f64::from(f32::from_bits(b))),
        64 => u64::try_from(v).map_or(f64::NAN, f64::from_bits),
        _ => f64::NAN,
    }
}
