//! `scuba merge`: one report of the documents that `scuba check --shard` wrote.
//!
//! In: the documents of all shards of a check. Out: the report of one run of all programs. Nothing is checked again;
//! sources are read for excerpts and for comments that accept findings, settings for levels and the baseline.

use crate::args::MergeArgs;
use crate::commands::check::store_of;
use crate::last_report::{self, CheckSubject};
use crate::session::Session;
use crate::{Status, output};
use anyhow::{Context, Result, anyhow};
use report::levels::Overrides;
use report::shard::{self, ShardPart};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The part of a shard's document that is merged.
#[derive(Deserialize)]
struct ShardDocument {
    shard: Option<ShardPart>,
}

/// # Errors
/// If a document cannot be read or is no shard's, if the documents are not all of one check, or if the report cannot be
/// written.
pub fn run(args: &MergeArgs, overrides: &Overrides) -> Result<Status> {
    let parts = args.files.iter().map(|file| Ok((file.display().to_string(), read(file)?))).collect::<Result<_>>()?;
    let merged = shard::merge(parts).map_err(|e| anyhow!(e))?;
    let here = std::env::current_dir().context("the working folder does not exist")?;
    let there = PathBuf::from(&merged.root);
    // Without settings here, paths are relative to where the shards ran, if that is this machine.
    let start = if config::find(&here).is_none() && there.is_dir() { there } else { here };
    let session = Session::new(&args.common, overrides, &start)?
        .with_baseline()?
        .with_confirmations(vec![store_of(&start)?])
        .since(&args.diff)?;
    if !session.quiet() {
        merged.unmatched.iter().for_each(|line| output::complain(line));
    }
    for fault in &merged.faults {
        output::print_error(&format!("{fault}\n\n"));
    }
    let nothing = merged.found.programs.is_empty();
    let frontend = merged.found.frontend();
    let (assembled, sources) = session.assemble(merged.found, frontend);
    let subject = CheckSubject { folders: vec![store_of(&start)?], ..CheckSubject::default() };
    last_report::keep(&session, &assembled, &sources, &subject);
    let status = session.tell(assembled, &sources, &[])?;
    let unable = !merged.faults.is_empty() || nothing && status == Status::Clean;
    Ok(if unable { Status::Unable } else { status })
}

fn read(file: &Path) -> Result<ShardPart> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let document: ShardDocument =
        serde_json::from_str(&text).with_context(|| format!("{} is no document of `scuba check`", file.display()))?;
    let advice = "`scuba check --shard I/N --message-format json` writes one";
    document.shard.ok_or_else(|| anyhow!("{} is no document of a shard: {advice}", file.display()))
}
