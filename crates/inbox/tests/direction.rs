//! Modules of the inbox import in one direction: each only from lower floors.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules, lowest floor first. Modules on one floor do not import each other.
const FLOORS: &[&[&str]] = &[
    &["ids", "calls"],
    &["connections", "message"],
    &["answerers", "identities", "media", "pairing", "templates"],
    &["canned_replies", "outbox"],
    &["conversations"],
    &["contact_rows", "messages"],
    &["desk", "eraser", "inbound", "sender"],
    &["web_chat"],
    &["channel_webhooks"],
    &["lib"],
];

fn floor(module: &str) -> usize {
    let found = FLOORS.iter().position(|floor| floor.contains(&module));
    found.unwrap_or_else(|| panic!("the module {module} has no floor: add it here and in ARCHITECTURE.md"))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    files.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// The modules that a source names as `crate::module` or `crate::{module, …}`.
fn imported(source: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = |text: &str| text.trim().chars().take_while(|c| is_name(*c)).collect::<String>();
    let mut found = Vec::new();
    for rest in source.split("crate::").skip(1) {
        match rest.strip_prefix('{').and_then(|list| list.split_once('}')) {
            Some((list, _)) => found.extend(list.split(',').map(name)),
            None => found.push(name(rest)),
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

#[test]
fn modules_import_only_from_floors_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut imports = 0;
    for path in sources(&root) {
        let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
        let module = Path::new(first.as_os_str()).file_stem().unwrap().to_str().unwrap().to_owned();
        let source = fs::read_to_string(&path).unwrap();
        for other in imported(&source).into_iter().filter(|other| *other != module) {
            imports += 1;
            assert!(
                floor(&other) < floor(&module),
                "{} imports {other}, which stands no lower than {module}",
                path.display()
            );
        }
    }
    assert!(imports > 50, "only {imports} imports were found");
}
