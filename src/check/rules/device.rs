//! `unchecked-argument`: a kernel uses a tensor's memory that may be host memory, because no check of its device
//! exists.
//!
//! In: the launches of an operator. Out: one finding with all tensors whose device the operator assumes, at the
//! launch that uses the first of them: where a replay with that tensor on the host reaches it. The proposed check
//! names the other tensors as well that the solver does not know to be on a device. Some systems let kernels use pageable host memory: the finding is at most
//! *possible*. The accesses themselves are decided as if the check existed.

use super::rule::{DecisionReceiver, RuleCheck};
use crate::context::{ArrayPosition, CheckContext, ExecutedLaunch, RootTools};
use crate::counterexample::replay_result::SoughtFault;
use crate::findings::kernel::Suspected;
use crate::findings::position::{launched_at, loc_of, place_of, position_of};
use crate::inference::evaluated::where_given;
use crate::inference::missing::check_of;
use crate::obligations::obligation::{Counterexample, Decision, Obligation};
use crate::obligations::verdict::AccessVerdict;
use base::rules::{Level, Rule};
use contracts::Cond;
use engine::symbolic::exec::events::AccessEvent;
use engine::symbolic::memory::object::{ObjId, ObjKind};
use engine::symbolic::memory::value::Base;
use engine::symbolic::terms::term::{InputSource, SymKind, Term, TermId};
use finding::{Finding, Related, USED_HERE, Verdict};
use ir::registered::is_dispatched_for_devices;
use models::tensors::{CPU, CUDA, OF_HANDLE, OF_STORAGE};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use witness::AccessFault;

/// Most launches examined for one tensor, and most accesses of one launch: if none of them can happen, the tensor is
/// probably checked.
const LAUNCHES: usize = 4;
const ACCESSES: usize = 4;
/// Most tensors of one finding.
const TENSORS: usize = 8;

/// The rule `unchecked-argument` for tensor devices.
pub(crate) struct TensorDevice;

impl RuleCheck for TensorDevice {
    fn classes(&self) -> &'static [Rule] {
        &[Rule::UncheckedArgument]
    }

    fn in_launches(
        &self,
        cx: &CheckContext<'_>,
        tools: &mut RootTools<'_>,
        runs: &[ExecutedLaunch],
        tally: &mut dyn DecisionReceiver,
    ) {
        if !tools.root.entry {
            return;
        }
        let by_device = is_dispatched_for_devices(tools.e.program, tools.root.func);
        let (mut first, mut unchecked): (Option<(ArrayPosition, &ExecutedLaunch, Finding)>, BTreeSet<String>) =
            (None, BTreeSet::new());
        let mut reached: BTreeSet<String> = BTreeSet::new();
        let mut asked: FxHashMap<String, usize> = FxHashMap::default();
        for run in runs {
            for (tensor, accesses) in tensors_used(tools, run) {
                let times = asked.entry(tensor.clone()).or_default();
                if reached.contains(&tensor) || unchecked.len() == TENSORS || *times == LAUNCHES || cx.is_spent() {
                    continue;
                }
                let device = tools.e.device_of_given(tools.root.func, &tensor);
                let Some(device) = device.filter(|d| !is_checked(tools, run.launch.path, *d)) else { continue };
                *times += 1;
                let is_called = |f: &Finding| !by_device || f.arguments.values().any(|t| t.on_device);
                for at in accesses.into_iter().take(ACCESSES) {
                    let Some(c) = may_be_on_host(cx, tools, run, at, device) else { continue };
                    unchecked.insert(tensor.clone());
                    let found = from_host(cx, tools, run, (at, &c), &tensor);
                    if let Some((place, finding)) = found.filter(|(_, f)| is_called(f)) {
                        reached.insert(tensor);
                        first.get_or_insert((place, run, finding));
                        break;
                    }
                }
            }
        }
        let Some((place, run, mut finding)) = first else { return };
        let f = tools.e.program.func(tools.root.func);
        let function = position_of(tools.e.program.users_loc(tools.root.func.module, f.loc));
        let on_device = |name: &String| where_given(f, contracts::parse(&format!("{name}.is_cuda()")).ok()?);
        let Some(all) = unchecked.iter().map(on_device).collect::<Option<Vec<_>>>() else { return };
        let condition = Cond::all(all).to_string();
        finding.missing_check =
            Some(check_of((tools.e.program.module(tools.root.func.module), f), condition, function));
        tally.note(place, run.kernel, AccessVerdict::Found(Box::new(finding)));
    }
}

/// Indices of an access of a launch and of one of its targets.
type TargetIndex = (usize, usize);

/// Returns caller-given tensors whose memory a launch uses, or that of tensors made where they are, with the accesses that use it.
fn tensors_used(tools: &RootTools<'_>, run: &ExecutedLaunch) -> Vec<(String, Vec<TargetIndex>)> {
    let mut all: Vec<(String, Vec<TargetIndex>)> = vec![];
    for (i, event) in run.run.accesses.iter().enumerate() {
        for (k, target) in event.targets.iter().enumerate() {
            let Base::Object(o) = target.base else { continue };
            let object = tools.e.object(o);
            let given = object.name.strip_suffix(OF_STORAGE).filter(|_| object.kind == ObjKind::Parameter);
            let Some(tensor) = given.or_else(|| made_where(tools, o)) else { continue };
            match all.iter_mut().find(|(name, _)| name == tensor) {
                Some((_, accesses)) => accesses.push((i, k)),
                None => all.push((tensor.to_owned(), vec![(i, k)])),
            }
        }
    }
    all
}

/// Returns the caller-given tensor on whose device the program made the storage of another one (`at::zeros_like(x)`).
fn made_where<'a>(tools: &'a RootTools<'_>, storage: ObjId) -> Option<&'a str> {
    let device = tools.e.runtime.devices_of_tensors.get(&storage)?;
    let Term::Sym(s) = tools.e.arena.get(*device) else { return None };
    match &tools.e.arena.symbol(*s).kind {
        SymKind::Input(InputSource::Given { object, .. }) => object.strip_suffix(OF_HANDLE),
        _ => None,
    }
}

/// Whether the path to a launch states explicitly that a tensor is on a CUDA device.
fn is_checked(tools: &mut RootTools<'_>, path: TermId, device: TermId) -> bool {
    let on_device = {
        let cuda = tools.e.arena.int(CUDA);
        tools.e.arena.eq(device, cuda)
    };
    tools.e.arena.conjuncts(path).contains(&on_device)
}

/// A model in which a tensor is on the host, and the condition that it satisfies.
type OnHost = (Counterexample, TermId);

/// Returns a model in which an access happens while its tensor is on the host.
fn may_be_on_host(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    (access, target): TargetIndex,
    device: TermId,
) -> Option<OnHost> {
    let event = &run.run.accesses[access];
    let a = &mut tools.e.arena;
    let host = a.int(CPU);
    let on_host = a.eq(device, host);
    let facts = a.and_all(vec![run.launch.path, event.path, event.targets[target].cond, on_host]);
    match tools.happens(cx, facts).decision {
        Decision::Fails(c) => Some((c, facts)),
        _ => None,
    }
}

/// Returns the finding at an access where the tensor is on the host.
fn from_host(
    cx: &CheckContext<'_>,
    tools: &mut RootTools<'_>,
    run: &ExecutedLaunch,
    ((access, target), (c, facts)): (TargetIndex, &OnHost),
    tensor: &str,
) -> Option<(ArrayPosition, Finding)> {
    let event: &AccessEvent = &run.run.accesses[access];
    let target = &event.targets[target];
    let Base::Object(o) = target.base else { return None };
    let object = tools.e.object(o).clone();
    let extent = object.extent?;
    let program = tools.e.program;
    let kernel = program.func(run.kernel).display.split(['(', '<']).next().unwrap_or_default();
    let kernel = kernel.rsplit(' ').next().unwrap_or(kernel);
    let place: ArrayPosition = (loc_of(program, launched_at(program, &run.launch)), tensor.to_owned());
    let obligation = Obligation { facts: *facts, offset: target.offset, bytes: event.bytes, extent };
    let suspected = Suspected {
        rule: Rule::UncheckedArgument,
        wanted: SoughtFault::Fault(AccessFault::HostMemory),
        event,
        object: &object,
        obligation: &obligation,
        essential: &[*facts],
        message: format!("`{kernel}` is launched on host memory if `{tensor}` is a host tensor"),
    };
    let mut f = suspected.replayed(cx, tools, run, c, place.clone()).ok()?;
    if f.verdict != Verdict::Proved || !f.assumptions.is_empty() {
        return None;
    }
    f.verdict = Verdict::Possible;
    f.level = Level::Warn;
    f.unknowns = vec![super::pointer::WHETHER_PAGEABLE.to_owned()];
    let used = position_of(place_of(program, event).0);
    f.related.insert(0, Related { position: used, what: USED_HERE.into(), inner: false });
    Some((place, f))
}
