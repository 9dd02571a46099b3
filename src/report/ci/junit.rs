//! Renders test results in the XML of JUnit: one test case for each finding, which fails if the finding is denied.
//!
//! Elements and attributes are those of `junit-10.xsd` of Jenkins' xUnit plug-in, which most readers take. A suite holds
//! the findings of one file. A run without findings is one case that passes: readers take a report without cases for a
//! mistake.

use crate::assemble::Assembled;
use crate::human::summary_line;
use crate::repository::RepositoryPaths;
use crate::sentences;
use crate::short::word;
use base::rules::Level;
use finding::Finding;
use finding::sources::SourceFiles;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the whole document.
///
/// # Errors
/// Fails if `out` cannot be written.
pub(crate) fn write(assembled: &Assembled, sources: &SourceFiles, out: &mut dyn Write) -> io::Result<()> {
    let paths = RepositoryPaths::of(sources.root());
    let mut suites: BTreeMap<String, Vec<&Finding>> = BTreeMap::new();
    for f in &assembled.report.findings {
        suites.entry(paths.show(&f.access.position.file)).or_default().push(f);
    }
    let failed = |fs: &[&Finding]| fs.iter().filter(|f| f.level == Level::Deny).count().to_string();
    let all: Vec<&Finding> = assembled.report.findings.iter().collect();
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let tests = all.len().max(1).to_string();
    let attributes = [("name", "SCuBA"), ("tests", &tests), ("failures", &failed(&all)), ("errors", "0")];
    xml.create_element("testsuites").with_attributes(attributes).write_inner_content(|xml| {
        for (file, findings) in &suites {
            let (file, tests, failures) = (allowed(file), findings.len().to_string(), failed(findings));
            let attributes =
                [("name", file.as_str()), ("tests", &tests), ("failures", &failures), ("errors", "0"), ("file", &file)];
            xml.create_element("testsuite")
                .with_attributes(attributes)
                .write_inner_content(|xml| findings.iter().try_for_each(|f| case(f, &file, xml)))?;
        }
        if suites.is_empty() {
            no_findings(assembled, xml)?;
        }
        Ok(())
    })?;
    out.write_all(&xml.into_inner())?;
    writeln!(out)
}

/// Writes the test case of a finding. Its name survives edits elsewhere in the file.
fn case(f: &Finding, file: &str, xml: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let (p, rule) = (&f.access.position, f.rule.name());
    let name = allowed(&format!("{rule}: {} in {} [{}]", f.message.replace('\n', " "), f.access.kernel, f.fingerprint));
    let place = if p.line == 0 { file.to_owned() } else { format!("{file}:{}:{}", p.line, p.column) };
    let sentences = sentences::of(f);
    let text = format!("{place}: {}[{rule}]\n{}", word(f.level), sentences.join("\n"));
    let text = allowed(&text);
    let attributes = [("classname", file), ("name", &name)];
    xml.create_element("testcase").with_attributes(attributes).write_inner_content(|xml| {
        if f.level == Level::Deny {
            let message = allowed(&format!("{place}: {}", sentences[0]));
            let attributes = [("type", rule), ("message", &message)];
            xml.create_element("failure").with_attributes(attributes).write_text_content(BytesText::new(&text))?;
        } else {
            xml.create_element("system-out").write_text_content(BytesText::new(&text))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Writes the one case of a run without findings.
fn no_findings(assembled: &Assembled, xml: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let attributes = [("name", "SCuBA"), ("tests", "1"), ("failures", "0"), ("errors", "0")];
    let line = summary_line(assembled);
    // Without the time that it took: two runs give the same document.
    let text = allowed(line.rsplit_once(" (").map_or(line.as_str(), |(counts, _)| counts));
    xml.create_element("testsuite").with_attributes(attributes).write_inner_content(|xml| {
        let attributes = [("classname", "SCuBA"), ("name", "no findings")];
        xml.create_element("testcase").with_attributes(attributes).write_inner_content(|xml| {
            xml.create_element("system-out").write_text_content(BytesText::new(&text))?;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

/// Replaces characters that XML 1.0 does not allow (2.2, `Char`), even escaped.
fn allowed(text: &str) -> String {
    let legal = |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{FFFD}' | '\u{10000}'..);
    text.chars().map(|c| if legal(c) { c } else { '\u{FFFD}' }).collect()
}
