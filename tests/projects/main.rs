//! Whole projects: programs whose bugs only several translation units together show, built by the real nvcc, g++, Make, CMake
//! and Ninja through the real shim, with the analysis behind it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod builds;
mod bundle;
#[path = "../support/cache.rs"]
mod cache;
mod changes;
mod folders;
mod joined;
mod orders;
mod parts;
mod patience;
mod seen;
mod settings;
mod stale;
mod support;
mod tools;
mod trouble;
