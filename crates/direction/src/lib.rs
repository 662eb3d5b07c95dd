//! Checks that modules import in one direction, for the test `direction.rs` of each crate.
//!
//! A crate lists its modules by floors. A module may import only from lower floors, so there are no circles. Imports by
//! `crate::` and by `super::` count, wherever they are written. `lib` and `main` stand above all modules.
//! Unit tests may import everything. So may macros, by `$crate::`: their paths belong to the place that calls them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules by floor, lowest first. Modules on one floor do not import each other.
pub type Floors<'a> = &'a [&'a [&'a str]];

/// Panics with the imports that do not point downwards, and with modules that have no floor.
///
/// `folder` holds the modules: `src` of a crate, or a module with modules of its own, whose `mod.rs` may import all of
/// them. Modules import items of `mod.rs` only if `mod` has a floor.
#[track_caller]
pub fn modules_import_in_one_direction(folder: impl AsRef<Path>, floors: Floors<'_>) {
    let wrong = wrong_imports(folder.as_ref(), floors);
    assert!(wrong.is_empty(), "modules import in circles:\n{}", wrong.join("\n"));
}

/// Panics with the files that import each other in circles, at any depth of a crate's `src`. A `mod.rs` may import its
/// own modules, and they may import its items.
#[track_caller]
pub fn files_import_in_one_direction(src: impl AsRef<Path>) {
    let circles = circular_imports(src.as_ref());
    assert!(circles.is_empty(), "files import in circles:\n{}", circles.join("\n"));
}

fn circular_imports(src: &Path) -> Vec<String> {
    let own: BTreeMap<Vec<String>, PathBuf> =
        sources(src).into_iter().map(|path| (module_path(&path), path)).collect();
    let mut edges = BTreeSet::new();
    for (module, path) in own.iter().filter(|(module, _)| !module.iter().any(|name| name == "tests")) {
        for import in imports(&read(path), module) {
            let imported =
                (0..=import.len()).rev().map(|end| &import[..end]).find(|path| own.contains_key(*path));
            if let Some(imported) = imported.filter(|imported| !imported.starts_with(module)) {
                edges.insert((module.clone(), imported.to_vec()));
            }
        }
    }
    // A file that imports none of the others, or that none of them imports, is in no circle.
    loop {
        let importing: BTreeSet<_> = edges.iter().map(|(from, _)| from.clone()).collect();
        let imported: BTreeSet<_> = edges.iter().map(|(_, to)| to.clone()).collect();
        let before = edges.len();
        edges.retain(|(from, to)| imported.contains(from) && importing.contains(to));
        if edges.len() == before {
            break;
        }
    }
    edges.iter().map(|(from, to)| format!("{} imports {}", from.join("::"), to.join("::"))).collect()
}

fn wrong_imports(folder: &Path, floors: Floors<'_>) -> Vec<String> {
    let root = module_path(folder);
    let floor = |module: &str| floors.iter().position(|floor| floor.contains(&module));
    let mut wrong = Vec::new();
    for path in sources(folder) {
        let relative = path.strip_prefix(folder).unwrap_or(&path);
        let own = module_path(&path);
        if own.iter().any(|name| name == "tests") {
            continue;
        }
        let module = match own.get(root.len()) {
            Some(module) => module.as_str(),
            // Roots may import everything.
            None if floor("mod").is_none() => continue,
            None => "mod",
        };
        let Some(own_floor) = floor(module) else {
            wrong.push(format!("{} has no floor", relative.display()));
            continue;
        };
        for import in imports(&read(&path), &own) {
            let Some(rest) = import.strip_prefix(&root[..]) else { continue };
            let Some(name) = rest.first() else { continue };
            let other = if floor(name).is_none() && !is_module(folder, name) { "mod" } else { name.as_str() };
            if other != module && floor(other).is_none_or(|other| other >= own_floor) {
                let line = format!("{} imports {}", relative.display(), rest.join("::"));
                if !wrong.contains(&line) {
                    wrong.push(line);
                }
            }
        }
    }
    wrong
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn is_module(folder: &Path, name: &str) -> bool {
    folder.join(name).is_dir() || folder.join(format!("{name}.rs")).is_file()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let mut all: Vec<PathBuf> = files.chain(folders.iter().flat_map(|folder| sources(folder))).collect();
    all.sort();
    all
}

/// The module of a file, as the names below the crate: `["runs", "row"]` for `src/runs/row.rs`.
fn module_path(path: &Path) -> Vec<String> {
    let names: Vec<String> =
        path.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let start = names.iter().rposition(|name| name == "src").map_or(0, |src| src + 1);
    let mut module = names[start..].to_vec();
    if module.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
        module.pop();
    }
    module
}

/// The paths that a module names by `crate::` or `super::`, from the crate's root.
fn imports(source: &str, own: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: String =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    for (start, word) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let before = code[..start].chars().next_back();
        // `super::super::` is read from its first `super`, and `$crate::` belongs to the caller of a macro.
        if before.is_some_and(|c| is_name(c) || [':', '$'].contains(&c)) {
            continue;
        }
        let (mut rest, mut base) = (&code[start..], own.to_vec());
        if word == "crate::" {
            (rest, base) = (&rest[word.len()..], Vec::new());
        }
        while let Some(higher) = rest.strip_prefix("super::") {
            base.pop();
            rest = higher;
        }
        leaves(rest, base, &mut found);
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Adds the paths of a use tree, such as `a::b` and `a::c` of `a::{b, c}`. Returns what follows the tree.
fn leaves<'s>(tree: &'s str, mut base: Vec<String>, found: &mut Vec<Vec<String>>) -> &'s str {
    let mut rest = tree.trim_start();
    loop {
        if let Some(list) = rest.strip_prefix('{') {
            rest = list.trim_start();
            while !rest.is_empty() && !rest.starts_with('}') {
                let before = rest.len();
                rest = leaves(rest, base.clone(), found).trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
                if rest.len() == before {
                    break;
                }
            }
            return rest.strip_prefix('}').unwrap_or(rest);
        }
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if !name.is_empty() && name != "self" {
            base.push(name.to_owned());
        }
        match after.strip_prefix("::") {
            Some(deeper) if !name.is_empty() => rest = deeper,
            _ => {
                found.push(base);
                let after = after.trim_start();
                // `as another_name` and `*` end here too.
                return after.find([',', '}', ';', '\n']).map_or("", |end| &after[end..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Vec<String> {
        path.split("::").map(ToOwned::to_owned).collect()
    }

    fn imported(source: &str) -> Vec<String> {
        imports(source, &names("runs::row")).iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn imports_are_found_in_every_form() {
        assert_eq!(
            imported("use crate::asks::{self, Ask, kind::{Kind as K, *}};"),
            ["asks", "asks::Ask", "asks::kind::Kind", "asks::kind"]
        );
        assert_eq!(
            imported("use super::step::Input;\nuse super::super::ids::RunId;"),
            ["runs::step::Input", "ids::RunId"]
        );
        assert_eq!(imported("use crate::{\n    asks,\n    spend::Budget,\n};"), ["asks", "spend::Budget"]);
        assert_eq!(
            imported("pub(super) fn f() -> crate::Error { super::event::log() }"),
            ["Error", "runs::event::log"]
        );
        assert!(imported("#[cfg(test)]\nmod tests {\n    use super::super::super::asks;\n}").is_empty());
        assert!(imported("macro_rules! ask { () => { $crate::asks::Ask } }").is_empty());
        assert!(imported("/// See `crate::asks`.\nuse frontdesk_db::Tx;").is_empty());
    }

    #[test]
    fn a_circle_and_a_missing_floor_are_reported() {
        let folder = std::env::temp_dir().join(format!("frontdesk-direction-{}/src", std::process::id()));
        fs::create_dir_all(folder.join("b")).unwrap();
        let put = |name: &str, source: &str| fs::write(folder.join(name), source).unwrap();
        put("lib.rs", "mod a;\nmod b;\nuse crate::a::A;");
        put("a.rs", "use crate::b::B;");
        put("b/mod.rs", "mod inner;");
        put("b/inner.rs", "use super::super::a::A;\nuse super::B;");
        assert_eq!(wrong_imports(&folder, &[&["a"], &["b"]]), ["a.rs imports b::B"]);
        assert_eq!(wrong_imports(&folder, &[&["b"]]), ["a.rs has no floor", "b/inner.rs imports a::A"]);
        put("a.rs", "");
        assert!(wrong_imports(&folder, &[&["a"], &["b"]]).is_empty());
        assert_eq!(wrong_imports(&folder.join("b"), &[&["inner"]]), ["inner.rs imports B"]);
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    #[test]
    fn files_of_one_module_that_import_each_other_are_reported() {
        let src = std::env::temp_dir().join(format!("frontdesk-direction-files-{}/src", std::process::id()));
        fs::create_dir_all(src.join("b")).unwrap();
        let put = |name: &str, source: &str| fs::write(src.join(name), source).unwrap();
        put("lib.rs", "mod b;\nuse crate::b::B;");
        put("b/mod.rs", "use crate::b::one::One;");
        put("b/one.rs", "use super::two::Two;\nuse super::B;");
        put("b/two.rs", "use crate::b::one;\nuse super::three;");
        put("b/three.rs", "");
        assert_eq!(circular_imports(&src), ["b::one imports b::two", "b::two imports b::one"]);
        put("b/two.rs", "use super::three;");
        assert!(circular_imports(&src).is_empty());
        fs::remove_dir_all(src.parent().unwrap()).unwrap();
    }
}
