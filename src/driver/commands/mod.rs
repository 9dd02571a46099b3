//! Commands, one file for each.

pub(crate) mod analyze;
pub(crate) mod baseline;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod confirm;
pub(crate) mod contracts;
pub(crate) mod doctor;
pub(crate) mod init;
pub(crate) mod lsp;
pub(crate) mod merge;
pub(crate) mod pages;
pub(crate) mod project;
pub(crate) mod report;
pub(crate) mod stats;
pub(crate) mod warm;
