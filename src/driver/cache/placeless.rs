//! Code and reports without the folders of the project and of our own clang, so that checkouts in different folders share
//! verdicts, wherever SCuBA is installed.
//!
//! In: modules with absolute paths; later, the JSON report of their check. Out: modules with marks in place of these
//! folders; later, the JSON with the folders of this checkout and installation. Other paths stay as they are.

use finding::paths::ProjectRoot;
use frontend::bundled;
use ir::Module;
use std::path::Path;
use std::sync::Arc;

/// Stands for the project's folder. No path and no message contains this character, which has no meaning in Unicode.
const MARK: char = '\u{e000}';

/// Stands for the folder of the clang that was installed with this program, and of its headers.
const OWN_CLANG: char = '\u{e001}';

/// Replaces the project's folder by the mark in the paths of files.
pub fn mark(modules: &mut [Arc<Module>], root: &ProjectRoot) {
    for module in modules {
        let module = Arc::make_mut(module);
        let paths = module.files.iter_mut().map(|f| &mut f.path).chain([&mut module.source]);
        paths.for_each(|path| mark_path(path, root));
    }
}

/// Replaces the folders by their marks at the beginning of a path.
pub fn mark_path(path: &mut String, root: &ProjectRoot) {
    mark_path_with(path, root, bundled::folder());
}

fn mark_path_with(path: &mut String, root: &ProjectRoot, clang: Option<&Path>) {
    let below = |folder: &Path| Path::new(path.as_str()).strip_prefix(folder).ok();
    // An installation may lie in the project.
    let marked = clang.and_then(below).map(|rest| (OWN_CLANG, rest)).or_else(|| Some((MARK, below(root.folder())?)));
    if let Some((mark, rest)) = marked {
        *path = format!("{mark}/{}", rest.display());
    }
}

/// Replaces the marks by the folders at the beginning of a path. Without a clang of our own, its mark stays: there is no
/// such file.
pub fn settle_path(path: &mut String, root: &ProjectRoot) {
    settle_path_with(path, root, bundled::folder());
}

fn settle_path_with(path: &mut String, root: &ProjectRoot, clang: Option<&Path>) {
    if let Some((rest, folder)) = path.strip_prefix(OWN_CLANG).zip(clang) {
        *path = format!("{}{rest}", folder.display());
    } else if let Some(rest) = path.strip_prefix(MARK) {
        // `/` is the folder itself.
        let rest = if rest == "/" { "" } else { rest };
        let folder = root.folder().to_string_lossy();
        let settled = format!("{}{rest}", folder.trim_end_matches('/'));
        *path = if settled.is_empty() { "/".to_owned() } else { settled };
    }
}

/// Replaces the marks by the folders in JSON.
#[must_use]
pub fn settle(json: &str, root: &ProjectRoot) -> String {
    let settled = replaced(json, MARK, root.folder());
    match bundled::folder() {
        Some(clang) => replaced(&settled, OWN_CLANG, clang),
        None => settled,
    }
}

/// Replaces a mark by a folder in JSON.
fn replaced(json: &str, mark: char, folder: &Path) -> String {
    let folder = folder.to_string_lossy();
    let quoted = serde_json::Value::from(folder.trim_end_matches('/')).to_string();
    // Strips the quotation marks.
    json.replace(mark, &quoted[1..quoted.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::{mark, settle};
    use finding::paths::ProjectRoot;
    use ir::{Module, Side, SourceFile};
    use std::path::Path;
    use std::sync::Arc;

    fn module(root: &str) -> Arc<Module> {
        let file = |path: String| SourceFile { path, system: false };
        Arc::new(Module {
            side: Side::Host,
            source: format!("{root}/src/a.cu"),
            producer: "clang".into(),
            arch: String::new(),
            asserts_restored: false,
            relocatable: false,
            doubts: vec![],
            types: vec![],
            locs: vec![],
            globals: vec![],
            functions: vec![],
            files: vec![
                file(format!("{root}/src/a.cu")),
                file("/usr/include/x.h".into()),
                file(format!("{root}-2/b.h")),
            ],
        })
    }

    #[test]
    fn equal_code_in_two_folders_is_equal_and_each_gets_its_own_paths_back() {
        for (one, two) in [("/home/a/app", "/srv/jobs/17/app"), ("/with \"quotes\" and \\\"", "/ä")] {
            let texts = [one, two].map(|folder| {
                let mut modules = [module(folder)];
                mark(&mut modules, &ProjectRoot::new(folder.into()));
                Arc::make_mut(&mut modules[0]).files.pop();
                serde_json::to_string(&*modules[0]).unwrap()
            });
            assert_eq!(texts[0], texts[1]);
            let back: Module = serde_json::from_str(&settle(&texts[0], &ProjectRoot::new(two.into()))).unwrap();
            assert_eq!(
                (back.source, back.files[0].path.clone()),
                (format!("{two}/src/a.cu"), format!("{two}/src/a.cu"))
            );
            assert_eq!(back.files[1].path, "/usr/include/x.h");
        }
    }

    #[test]
    fn a_project_at_the_root_of_all_has_paths_with_one_slash() {
        let root = ProjectRoot::new("/".into());
        let mut modules = [module("/app")];
        mark(&mut modules, &root);
        assert!(settle(&serde_json::to_string(&*modules[0]).unwrap(), &root).contains("\"/app/src/a.cu\""));
    }

    #[test]
    fn our_own_clang_lies_anywhere_also_in_the_project() {
        let [one, two] = ["/home/a/app", "/srv/app"].map(|f| ProjectRoot::new(f.into()));
        let [ours, theirs] = ["/home/a/app/venv/lib/scuba", "/opt/lib/scuba"].map(Path::new);
        let mut path = "/home/a/app/venv/lib/scuba/lib/clang/22/include/x.h".to_owned();
        super::mark_path_with(&mut path, &one, Some(ours));
        let mut there = path.clone();
        super::settle_path_with(&mut there, &two, Some(theirs));
        assert_eq!(there, "/opt/lib/scuba/lib/clang/22/include/x.h");
        // No file is called so.
        super::settle_path_with(&mut path, &two, None);
        assert!(path.starts_with(super::OWN_CLANG), "{path}");
        assert_eq!(super::replaced("[\"\u{e001}/x.h\"]", super::OWN_CLANG, Path::new("/o\"/")), "[\"/o\\\"/x.h\"]");
    }

    #[test]
    fn paths_go_from_one_folder_to_another() {
        let [one, two, top] = ["/home/a/app", "/srv/app", "/"].map(|f| ProjectRoot::new(f.into()));
        for (path, there, at_top) in [
            ("/home/a/app/src/a.cu", "/srv/app/src/a.cu", "/src/a.cu"),
            ("/home/a/app", "/srv/app", "/"),
            ("/home/a/app2/a.cu", "/home/a/app2/a.cu", "/home/a/app2/a.cu"),
            ("a.cu", "a.cu", "a.cu"),
        ] {
            let mut marked = path.to_owned();
            super::mark_path(&mut marked, &one);
            for (root, wanted) in [(&one, path), (&two, there), (&top, at_top)] {
                let mut settled = marked.clone();
                super::settle_path(&mut settled, root);
                assert_eq!(settled, wanted);
            }
        }
    }
}
