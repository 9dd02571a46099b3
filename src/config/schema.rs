//! JSON schema of scuba.toml, for editors, derived from the types that are read.

use crate::ByteSize;
use crate::load::RawConfig;
use base::rules::{Level, Rule};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Returns the schema (JSON Schema draft 7, which TOML language servers read). Conditions and patterns are strings to it: only reading the file finds
/// mistakes in them.
#[must_use]
pub fn of_settings() -> Schema {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<RawConfig>();
    schema.insert("title".to_owned(), "scuba.toml".into());
    schema.insert("description".to_owned(), "Settings of SCuBA for a project.".into());
    schema
}

/// Returns the schema of `[levels]`: a level for each rule, and for `all`.
pub(crate) fn levels(generator: &mut SchemaGenerator) -> Schema {
    let level = generator.subschema_for::<Level>();
    let of = |name: &str, text: &str| {
        let mut one = level.clone();
        one.insert("description".to_owned(), text.into());
        (name.to_owned(), Value::from(one))
    };
    let all = of("all", "Every rule that has no level of its own");
    let rules: Map<String, Value> = Rule::ALL.into_iter().map(|r| of(r.name(), r.title())).chain([all]).collect();
    json_schema!({ "type": "object", "properties": rules, "additionalProperties": false })
}

/// Returns the schema of a rule's name, or `all`.
pub(crate) fn selector(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = Rule::ALL.into_iter().map(Rule::name).chain(["all"]).collect();
    json_schema!({ "type": "string", "enum": names })
}

impl JsonSchema for ByteSize {
    fn schema_name() -> Cow<'static, str> {
        "ByteSize".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Number of bytes, or a number with a unit: `16GiB`.",
            "anyOf": [
                { "type": "integer", "minimum": 1 },
                { "type": "string", "pattern": r"^\s*[0-9]+\s*([kKmMgGtT][iI]?)?[bB]?\s*$" }
            ]
        })
    }
}
