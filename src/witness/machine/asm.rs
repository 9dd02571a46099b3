//! Inline assembly: the few forms of PTX that headers use where addresses and lanes depend on them.

use super::call::{Ret, Stop};
use super::form::{AsmInfo, CallInfo, Callee};
use super::state::Machine;
use super::thread::Thread;
use super::value::{Val, mask, signed};
use crate::report::finding::Direction;
use crate::witness::api::{Cause, Why};

/// One operand of a PTX instruction: `$n`, `[$n+off]`, an immediate.
fn position(word: &str) -> Option<usize> {
    word.trim().trim_matches(['{', '}', '[', ']']).trim().strip_prefix('$')?.parse().ok()
}

impl Machine<'_> {
    /// The results of an inline-assembly statement.
    pub fn inline_asm(&mut self, th: &mut Thread, info: &AsmInfo, args: &[Val]) -> Result<Vec<Val>, Stop> {
        let text = info.text.trim();
        let outputs = info.slots as usize;
        if th.on_device() {
            let single = text.trim_matches(['{', '}']).trim();
            let single = single.strip_suffix(';').unwrap_or(single).trim();
            if !single.contains(';')
                && let Some(out) = self.ptx(th, single, outputs, args)?
            {
                return Ok(out);
            }
            if text.starts_with("exit") {
                return Err(Stop::Ended(format!("`{text}`")));
            }
            if text.starts_with("trap") {
                return Err(self.trap("trap"));
            }
            // Whether one in other code is come to is not known.
            if text.contains("trap;") {
                let text: String = text.chars().take(40).collect();
                let text = format!("inline assembly that may trap (`{text}`)");
                return Err(Stop::Unknown(Why { text, cause: Cause::Assembly }));
            }
        }
        let why = self.reason(
            Cause::Assembly,
            &format!("inline assembly (`{}`)", text.chars().take(40).collect::<String>().replace('\n', " ")),
        );
        let writes =
            !th.on_device() || ["st.", "atom", "red.", "cp.async", "stmatrix"].iter().any(|w| text.contains(w));
        if writes && info.constraints.contains("memory") {
            for a in args.iter().filter(|a| !a.is_poison()) {
                self.forget(th, *a, why);
            }
        }
        Ok(vec![Val::poison(why); outputs])
    }

    /// One PTX instruction, where it is of a form that is followed.
    fn ptx(&mut self, th: &mut Thread, text: &str, outputs: usize, args: &[Val]) -> Result<Option<Vec<Val>>, Stop> {
        let (op, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut parts = op.split('.');
        let input = |w: &str| position(w).filter(|p| *p >= outputs).and_then(|p| args.get(p - outputs)).copied();
        let ty = op.rsplit('.').next().unwrap_or_default();
        let bits: u32 = ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
        match parts.next().unwrap_or_default() {
            "mov" => {
                let Some(reg) = rest.split(',').nth(1).and_then(|r| r.trim().strip_prefix('%')) else {
                    return Ok(None);
                };
                let Some(model) = crate::witness::device::builtins::register_by_asm_name(reg) else { return Ok(None) };
                let call = CallInfo { callee: Callee::Unknown, target: None, args: Vec::new(), dst: 0, slots: 1 };
                match model(self, th, &call, &[])? {
                    Ret::Val(v) => Ok(Some(vec![v])),
                    _ => Ok(None),
                }
            }
            "ld" | "ldu" if (8..=64).contains(&bits) => {
                let Some((address, offset)) = memory_operand(rest) else { return Ok(None) };
                let Some(p) = input(address) else { return Ok(None) };
                let n = outputs.max(1) as u64;
                let mut out = Vec::new();
                let Some(site) = self.site(th) else { return Ok(None) };
                // Checked as the one access that it is.
                if n > 1
                    && let Some(a) = p.known()
                {
                    self.touch(th, a.wrapping_add_signed(offset), n * u64::from(bits / 8), Direction::Read)?;
                }
                for i in 0..n {
                    let at = Val { bits: p.bits.wrapping_add_signed(offset) + i * u64::from(bits / 8), ..p };
                    out.push(self.load(th, || site, at, bits)?);
                }
                Ok(Some(out))
            }
            "st" if (8..=64).contains(&bits) => {
                let Some((address, offset)) = memory_operand(rest) else { return Ok(None) };
                let Some(p) = input(address) else { return Ok(None) };
                let Some(site) = self.site(th) else { return Ok(None) };
                let values: Vec<Option<Val>> = rest[rest.find(']').map_or(0, |i| i + 1)..]
                    .split(',')
                    .filter(|w| !w.trim_matches([' ', '{', '}']).is_empty())
                    .map(|w| input(w).or_else(|| immediate(w, bits)))
                    .collect();
                if values.len() > 1
                    && let Some(a) = p.known()
                {
                    self.touch(
                        th,
                        a.wrapping_add_signed(offset),
                        values.len() as u64 * u64::from(bits / 8),
                        Direction::Write,
                    )?;
                }
                for (i, v) in (0u64..).zip(values) {
                    let at = Val { bits: p.bits.wrapping_add_signed(offset) + i * u64::from(bits / 8), ..p };
                    self.store(th, || site, at, bits, v.unwrap_or(Val::UNINIT))?;
                }
                Ok(Some(Vec::new()))
            }
            "shr" | "shl" => {
                let words: Vec<&str> = rest.split(',').collect();
                let (Some(a), Some(b)) = (words.get(1).and_then(|w| input(w)), words.get(2).and_then(|w| input(w)))
                else {
                    return Ok(None);
                };
                let (Some(x), Some(n)) = (a.known(), b.known()) else { return Ok(None) };
                // PTX shifts clamp.
                let v = if op.starts_with("shl") {
                    if n >= u64::from(bits) { 0 } else { x << n }
                } else if ty.starts_with('s') {
                    (signed(x, bits) >> n.min(u64::from(bits) - 1)).cast_unsigned()
                } else if n >= u64::from(bits) {
                    0
                } else {
                    x >> n
                };
                Ok(Some(vec![Val::new(v & mask(bits.max(1)))]))
            }
            "nanosleep" | "membar" | "fence" | "prefetch" | "prefetchu" | "griddepcontrol" => Ok(Some(Vec::new())),
            _ => Ok(None),
        }
    }

    /// Checks an access without doing it.
    fn touch(&mut self, th: &mut Thread, address: u64, bytes: u64, direction: Direction) -> Result<(), Stop> {
        let (id, off) = crate::witness::memory::space::split(address);
        let fine = self.mem.get(&th.stack, id).is_some_and(|o| o.unknown.is_some() || o.holds(off, bytes));
        if fine {
            return Ok(());
        }
        let Some(site) = self.site(th) else { return Ok(()) };
        self.bad_access(th, site, address, bytes, direction)
    }
}

/// An integer that stands in the text itself.
fn immediate(word: &str, bits: u32) -> Option<Val> {
    let value: i64 = word.trim_matches([' ', '{', '}']).parse().ok()?;
    Some(Val::new(value.cast_unsigned() & mask(bits)))
}

/// The address word of `[$n+off]` and its offset.
fn memory_operand(rest: &str) -> Option<(&str, i64)> {
    let inner = &rest[rest.find('[')? + 1..rest.find(']')?];
    match inner.split_once('+') {
        Some((a, off)) => Some((a, off.trim().parse().ok()?)),
        None => Some((inner, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_found() {
        assert_eq!(position(" [$2]"), Some(2));
        assert_eq!(position("{$10"), Some(10));
        assert_eq!(position("%r1"), None);
        assert_eq!(immediate(" 77", 32), Some(Val::new(77)));
        assert_eq!(immediate("-1}", 16), Some(Val::new(0xffff)));
        assert_eq!(immediate("%r1", 16), None);
        assert_eq!(memory_operand("$0, [$1+16]"), Some(("$1", 16)));
        assert_eq!(memory_operand("[$0], {$1, $2}"), Some(("$0", 0)));
    }
}
