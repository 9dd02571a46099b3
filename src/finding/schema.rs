//! JSON schema of the document `scuba-findings/1`, derived from the types that are written.

use crate::Report;
use schemars::Schema;
use schemars::generate::SchemaSettings;

/// Value of `schema` in documents.
pub const NAME: &str = "scuba-findings/1";

/// Returns the schema (JSON Schema 2020-12). It admits further fields: later versions may add some.
#[must_use]
pub fn of_documents() -> Schema {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report>();
    schema.insert("title".to_owned(), NAME.into());
    schema.insert("description".to_owned(), "Document of `scuba check --message-format json`.".into());
    schema
}
