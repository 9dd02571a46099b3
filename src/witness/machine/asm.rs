//! Inline assembly: the few forms of PTX in headers on which addresses and lanes depend.

use super::call::{Ret, ThreadStop};
use super::form::{AsmInfo, CallInfo, CallTarget};
use super::state::Machine;
use super::thread::Thread;
use super::value::{Reason, Val, mask, signed};
use crate::ProgramPoint;
use crate::api::{Cause, UndecidedReason};
use crate::device::builtins::{linear, special_register};
use crate::library::runtime::ImageBehind;
use crate::memory::space::{shared_number, split};
use finding::Direction;
pub use models::access::{
    AccessExtent, AccessMode, AddressRange, Guard, ImageAccess, LeadingDimension, ModelledAccess, StateSpace, WARP,
};
pub use models::ptx::ThreadEnd;

/// Index of a PTX operand of the form `$n` or `[$n]`; `None` for any other.
fn position(word: &str) -> Option<usize> {
    word.trim().trim_matches(['{', '}', '[', ']']).trim().strip_prefix('$')?.parse().ok()
}

impl Machine<'_> {
    /// Results of an inline-assembly statement.
    pub fn inline_asm(&mut self, th: &mut Thread, info: &AsmInfo, args: &[Val]) -> Result<Vec<Val>, ThreadStop> {
        let text = info.text.trim();
        let outputs = info.slots as usize;
        if th.on_device() {
            if let Some(v) = info.shared_address.and_then(|i| args.get(i)) {
                return Ok(vec![self.window(true, *v)]);
            }
            if let Some(model) = info.special_register.as_deref().and_then(special_register) {
                let call = CallInfo { callee: CallTarget::Unknown, target: None, args: Vec::new(), dst: 0, slots: 1 };
                if let Ret::Val(v) = model(self, th, &call, &[])? {
                    return Ok(vec![v]);
                }
            }
            let single = text.trim_matches(['{', '}']).trim();
            let single = single.strip_suffix(';').unwrap_or(single).trim();
            if !single.contains(';')
                && let Some(out) = self.ptx(th, info, single, args)?
            {
                return Ok(out);
            }
            // The interpreter does not know whether this thread reaches the instruction that ends it.
            if info.ending.is_some_and(|e| !e.certain || e.how == ThreadEnd::Leave) {
                let text: String = text.chars().take(40).collect();
                let text = format!("inline assembly that may end the thread (`{text}`)");
                return Err(ThreadStop::Unknown(UndecidedReason { text, cause: Cause::Assembly }));
            }
        }
        let why = self.reason(
            Cause::Assembly,
            &format!("inline assembly (`{}`)", text.chars().take(40).collect::<String>().replace('\n', " ")),
        );
        if th.on_device() {
            self.listed_accesses(th, &info.accesses, args, why)?;
            match info.ending.map(|e| e.how) {
                Some(ThreadEnd::Trap) => return Err(self.trap("trap")),
                Some(_) => return Err(ThreadStop::Ended(format!("`{text}`"))),
                None => {}
            }
        } else if info.constraints.contains("memory") {
            for a in args.iter().filter(|a| !a.is_poison()) {
                self.havoc(th, *a, why);
            }
        }
        Ok(vec![Val::poison(why); outputs])
    }

    /// Checks a list of accesses; what they write becomes unknown.
    pub fn listed_accesses(
        &mut self,
        th: &mut Thread,
        list: &[ModelledAccess],
        args: &[Val],
        why: Reason,
    ) -> Result<(), ThreadStop> {
        let Some(site) = self.site(th) else { return Ok(()) };
        for access in list {
            let direction = match access.kind {
                AccessMode::Read => Direction::Read,
                AccessMode::Write => Direction::Write,
                AccessMode::Atomic => Direction::Atomic,
            };
            if let Some(image) = access.image
                && self.image_access(th, site, &image, direction, args, why)?
            {
                continue;
            }
            let parts = match access.place.map_or(Err(why), |p| self.parts(th, &p, args)) {
                Ok(parts) => parts,
                Err(open) => {
                    self.seen.unclear(site, || UndecidedReason {
                        text: format!("what it accesses depends on {}", self.reasons.text(open)),
                        cause: Cause::Assembly,
                    });
                    if access.writes() {
                        self.havoc_given(th, args, why);
                    }
                    continue;
                }
            };
            for (p, bytes) in parts {
                self.touch(th, site, p, bytes, direction, why)?;
            }
        }
        Ok(())
    }

    /// Executes an access through a texture or surface; returns whether it is known what lies behind it. Coordinates of a surface that are
    /// outside of its array access what lies behind the array.
    fn image_access(
        &mut self,
        th: &mut Thread,
        site: ProgramPoint,
        image: &ImageAccess,
        direction: Direction,
        args: &[Val],
        why: Reason,
    ) -> Result<bool, ThreadStop> {
        let number = |i: usize| args.get(i).and_then(|v| v.known());
        let Some((behind, sizes)) = number(image.handle).and_then(|handle| self.cuda.image(handle)) else {
            return Ok(false);
        };
        match (behind, sizes) {
            (ImageBehind::Linear { at, bytes }, _) if !image.traps => {
                // Which of its elements is read is not asked.
                let (id, offset) = split(at);
                if self.mem.get(&th.stack, id).is_some_and(|o| !o.holds(offset, bytes)) {
                    return Ok(false);
                }
                self.touch(th, site, Val::new(at), 1, Direction::Read, why)?;
                Ok(true)
            }
            (ImageBehind::Array(array), Some(sizes)) => {
                let mut inside = true;
                let widths = [(sizes.row, image.bytes), (sizes.height, 1), (sizes.depth, 1)];
                for (at, (size, wide)) in image.coordinates.iter().zip(widths) {
                    let Some(i) = *at else { continue };
                    let Some(n) = number(i) else { return Ok(false) };
                    inside &= u64::try_from(signed(n, 32)).is_ok_and(|n| n.saturating_add(wide) <= size);
                }
                let align = self.seen.alignment(|| site).map(u64::from);
                let x = image.coordinates[0].and_then(number);
                if let Some((x, _)) = x.zip(align).filter(|(x, align)| inside && !x.is_multiple_of(*align)) {
                    self.misaligned(th, site, array.wrapping_add(x), image.bytes, direction)?;
                }
                if !inside && image.traps {
                    let end = sizes.row.saturating_mul(sizes.height).saturating_mul(sizes.depth);
                    self.touch(th, site, Val::new(array.wrapping_add(end)), image.bytes, direction, why)?;
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Address and size of each line of an access. Empty if this thread does not take part; an error if this is
    /// unknown.
    fn parts(&mut self, th: &Thread, place: &AddressRange, args: &[Val]) -> Result<Vec<(Val, u64)>, Reason> {
        let number = |i: usize| {
            let v = args.get(i).copied().unwrap_or(Val::UNINIT);
            v.known().ok_or(v.poison)
        };
        if let Guard::Argument { argument, set } = place.guard
            && (number(argument)? != 0) != set
        {
            return Ok(vec![]);
        }
        if place.lanes < WARP && self.lane(th).is_some_and(|l| l >= place.lanes) {
            return Ok(vec![]);
        }
        let p = self.listed_address(place, args.get(place.address.argument).copied().unwrap_or(Val::UNINIT));
        let at = |bytes: u64| Val { bits: p.bits.wrapping_add(bytes), ..p };
        Ok(match place.extent {
            AccessExtent::Bytes(n) => vec![(p, n)],
            AccessExtent::Argument(i) => match number(i)? & mask(32) {
                0 => vec![],
                n => vec![(p, n)],
            },
            AccessExtent::Tile(tile) => {
                let line = match tile.leading {
                    LeadingDimension::Packed => tile.line_bytes.get() * 8,
                    LeadingDimension::Argument(i) => (number(i)? & mask(32)) * u64::from(tile.bits),
                    LeadingDimension::LastArgument => {
                        (number(args.len().saturating_sub(1))? & mask(32)) * u64::from(tile.bits)
                    }
                };
                (0..u64::from(tile.lines)).map(|i| (at(i * line / 8), tile.line_bytes.get())).collect()
            }
        })
    }

    /// Address that a register holds. A shared-memory address is an integer in the shared window.
    fn listed_address(&mut self, place: &AddressRange, given: Val) -> Val {
        let offset = place.address.offset;
        if place.space != StateSpace::Shared || given.is_poison() {
            return Val { bits: given.bits.wrapping_add_signed(offset), ..given };
        }
        let sum = given.bits.wrapping_add_signed(offset) & mask(32);
        match self.mem.shared_address(sum).filter(|_| given.bits <= mask(32)) {
            Some(a) => Val::new(a),
            None => self.unknown("inline assembly with a number that is no known address of shared memory"),
        }
    }

    /// Lane of a thread in its warp.
    fn lane(&self, th: &Thread) -> Option<u32> {
        let (launch, place) = (self.launch.as_ref()?, th.place?);
        Some(linear(place.thread, launch.block) % WARP)
    }

    /// Havocs the memory that a statement may write through its arguments. Includes shared memory, whose addresses
    /// are passed as integers.
    fn havoc_given(&mut self, th: &mut Thread, args: &[Val], why: Reason) {
        for a in args.iter().filter(|a| !a.is_poison()) {
            self.havoc(th, *a, why);
        }
        for id in self.mem.shared_ids() {
            self.havoc_object(th, id, why);
        }
    }

    /// Converts a shared-memory address to an integer in the shared window, or back.
    pub fn window(&mut self, to_number: bool, v: Val) -> Val {
        let Some(bits) = v.known() else { return Val::poison(v.poison.of_result()) };
        let found = if to_number { shared_number(bits) } else { self.mem.shared_address(bits) };
        found.map_or_else(|| self.unknown("an address of shared memory that leads to other memory"), Val::new)
    }

    /// Executes one PTX instruction, if the interpreter models its form.
    fn ptx(
        &mut self,
        th: &mut Thread,
        info: &AsmInfo,
        text: &str,
        args: &[Val],
    ) -> Result<Option<Vec<Val>>, ThreadStop> {
        let outputs = info.slots as usize;
        let (op, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut parts = op.split('.');
        let input = |w: &str| position(w).filter(|p| *p >= outputs).and_then(|p| args.get(p - outputs)).copied();
        let ty = op.rsplit('.').next().unwrap_or_default();
        let bits: u32 = ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
        match parts.next().unwrap_or_default() {
            // Sign extension into a wider register is not modelled.
            "ld" | "ldu"
                if (8..=64).contains(&bits)
                    && !(ty.starts_with('s') && (bits < 32 || info.constraints.starts_with("=l") && bits < 64)) =>
            {
                let Some(p) = self.only_address(th, info, args) else { return Ok(None) };
                let n = outputs.max(1) as u64;
                let mut out = Vec::new();
                let Some(site) = self.site(th) else { return Ok(None) };
                // Checks a vector load as one access.
                if n > 1 && !p.is_poison() {
                    self.touch(th, site, p, n * u64::from(bits / 8), Direction::Read, Reason::OPEN)?;
                }
                for i in 0..n {
                    let at = Val { bits: p.bits + i * u64::from(bits / 8), ..p };
                    out.push(self.load(th, || site, at, bits)?);
                }
                Ok(Some(out))
            }
            "st" if (8..=64).contains(&bits) => {
                let Some(p) = self.only_address(th, info, args) else { return Ok(None) };
                let Some(site) = self.site(th) else { return Ok(None) };
                let values: Vec<Option<Val>> = rest[rest.find(']').map_or(0, |i| i + 1)..]
                    .split(',')
                    .filter(|w| !w.trim_matches([' ', '{', '}']).is_empty())
                    .map(|w| input(w).or_else(|| immediate(w, bits)))
                    .collect();
                if values.len() > 1 && !p.is_poison() {
                    let bytes = values.len() as u64 * u64::from(bits / 8);
                    self.touch(th, site, p, bytes, Direction::Write, Reason::OPEN)?;
                }
                for (i, v) in (0u64..).zip(values) {
                    let at = Val { bits: p.bits + i * u64::from(bits / 8), ..p };
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
                // PTX shift amounts clamp.
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

    /// Address of a statement that does exactly one access unconditionally.
    fn only_address(&mut self, th: &Thread, info: &AsmInfo, args: &[Val]) -> Option<Val> {
        let [ModelledAccess { place: Some(place), .. }] = info.accesses.as_slice() else { return None };
        let Ok(parts) = self.parts(th, place, args) else { return None };
        if let [(p, _)] = parts.as_slice() { Some(*p) } else { None }
    }
}

/// Integer literal in the statement's text.
fn immediate(word: &str, bits: u32) -> Option<Val> {
    let value: i64 = word.trim_matches([' ', '{', '}']).parse().ok()?;
    Some(Val::new(value.cast_unsigned() & mask(bits)))
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
    }
}
