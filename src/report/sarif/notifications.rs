//! Notifications of a SARIF document: what was not analysed, or not decided.

use super::place::{Places, at};
use crate::assemble::Assembled;
use crate::sentences::sentence;
use serde_json::{Value, json};

/// Kind of notifications.
struct NotificationKind {
    id: &'static str,
    what: &'static str,
    help: &'static str,
}

const KINDS: [NotificationKind; 7] = [
    NotificationKind {
        id: "not-analysed",
        what: "A side of a translation unit could not be read.",
        help: "The message is the front end's: `scuba doctor` lists what is missing. `--strict` makes it an error.",
    },
    NotificationKind {
        id: "built-without-analysis",
        what: "A build compiled a translation unit without the analysis.",
        help: "A compiler cache had its object, or the shim was off: clean and build again. `--strict` makes it an error.",
    },
    NotificationKind {
        id: "unseen",
        what: "A program was linked with an object that was not read.",
        help: "Nothing that depends on the object is called safe. Build it by `scuba build` too. `--strict` makes it an error.",
    },
    NotificationKind {
        id: "excluded",
        what: "A unit is outside of `[scope]` in scuba.toml.",
        help: "It is not analysed, and nothing that depends on it is called safe without an assumption.",
    },
    NotificationKind {
        id: "undecided",
        what: "Accesses could not be decided.",
        help: "`scuba check -v` lists them with reasons.",
    },
    NotificationKind {
        id: "limit-reached",
        what: "A safety net ended the analysis: another run may decide more.",
        help: "Raise the named setting under `[limits]` in scuba.toml.",
    },
    NotificationKind {
        id: "settings",
        what: "A comment or a setting of the project has no effect.",
        help: "Correct or remove it.",
    },
];

/// Returns descriptions of the kinds that `notifications` use; GitHub's validation asks for all their texts.
pub(super) fn kinds(notifications: &[Value]) -> Vec<Value> {
    let used = |kind: &&NotificationKind| notifications.iter().any(|n| n["descriptor"]["id"] == kind.id);
    let described = |kind: &NotificationKind| {
        let what = json!({"text": kind.what});
        json!({"id": kind.id, "shortDescription": what, "fullDescription": what, "help": {"text": kind.help}})
    };
    KINDS.iter().filter(used).map(described).collect()
}

fn notification(id: &str, level: &str, text: &str, location: Option<Value>) -> Value {
    let mut made = json!({"descriptor": {"id": id}, "level": level, "message": {"text": text}});
    if let Some(location) = location {
        made["locations"] = json!([location]);
    }
    made
}

/// Returns what the run could not read or decide.
pub(super) fn of_execution(assembled: &Assembled, places: &Places<'_>) -> Vec<Value> {
    let report = &assembled.report;
    let whole = |file: &str| Some(places.location(&at(file, 0, 0), None, None));
    let mut made: Vec<Value> = vec![];
    made.extend(report.not_analysed.iter().map(|n| {
        let text = format!("The {} side was not analysed: {}.", n.side, n.reason);
        notification("not-analysed", "warning", &text, whole(&n.file))
    }));
    made.extend(report.built_without_analysis.iter().map(|b| {
        notification("built-without-analysis", "warning", "It was built without the analysis.", whole(&b.file))
    }));
    made.extend(report.unseen.iter().map(|u| {
        let text = format!("{}: {} was linked without being read: {}.", u.program, u.object, u.reason);
        notification("unseen", "warning", &text, None)
    }));
    made.extend(
        report.excluded.iter().map(|file| notification("excluded", "note", "It is outside of `[scope]`.", whole(file))),
    );
    let undecided = report.summary.unknown;
    if undecided > 0 {
        let text = format!("Accesses that are neither safe nor wrong for sure: {undecided}.");
        made.push(notification("undecided", "note", &text, None));
    }
    made.extend(report.limits_reached.iter().map(|limit| {
        let text = format!("`{limit}` was reached: another run may decide more.");
        notification("limit-reached", "warning", &text, None)
    }));
    made
}

/// Returns what has no effect in the project's own comments and settings.
pub(super) fn of_configuration(assembled: &Assembled, places: &Places<'_>) -> Vec<Value> {
    let notices = assembled.notices.iter();
    notices
        .map(|n| {
            let text = sentence(&n.message);
            notification("settings", "note", &text, Some(places.location(&at(&n.file, n.line, 0), None, None)))
        })
        .collect()
}
