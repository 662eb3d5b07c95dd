//! Checks that modules import in one direction, in every crate of the workspace.
//!
//! Modules with the same parent must not import each other in circles, at any depth: neither `contacts` and `deals` of a
//! crate, nor `contacts::row` and `contacts::list`. Imports by `crate::` and by `super::` count, wherever they are written. A
//! module and its parent may import each other, except that nothing imports items of `lib.rs` or `main.rs`: they stand above
//! all modules. Unit tests may import everything. So may macros, by `$crate::`: their paths belong to the place that
//! calls them. Texts import nothing, such as those of which the SDKs are written. Modules in a directory `generated` count
//! as modules of the one above it, which exports them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The imports that are part of a circle, and those of a crate's root, in the crate whose sources are in `src`.
pub fn wrong_imports(src: &Path) -> Vec<String> {
    let files: BTreeMap<Vec<String>, PathBuf> =
        sources(src).into_iter().map(|path| (module_path(&path), path)).collect();
    let mut wrong = Vec::new();
    let mut imported_by = BTreeSet::new();
    for (module, path) in files.iter().filter(|(module, _)| !module.iter().any(|name| name == "tests")) {
        for import in imports(&read(path), module) {
            let target =
                (0..=import.len()).rev().map(|end| &import[..end]).find(|path| files.contains_key(*path));
            match target {
                Some([]) if !module.is_empty() => {
                    wrong.push(format!("{} imports {} of the root", module.join("::"), import.join("::")));
                }
                Some(target) => imported_by.extend(siblings(module, target)),
                None => {}
            }
        }
    }
    remove_all_outside_of_circles(&mut imported_by);
    wrong.extend(
        imported_by.iter().map(|(from, to)| format!("{} imports {}", from.join("::"), to.join("::"))),
    );
    wrong
}

/// The two modules with the same parent by which one module imports another; none if one is inside the other.
fn siblings(from: &[String], to: &[String]) -> Option<(Vec<String>, Vec<String>)> {
    let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
    (shared < from.len() && shared < to.len()).then(|| (from[..=shared].to_vec(), to[..=shared].to_vec()))
}

/// A module that imports none of the others, or that none of them imports, is in no circle.
fn remove_all_outside_of_circles(edges: &mut BTreeSet<(Vec<String>, Vec<String>)>) {
    loop {
        let importing: BTreeSet<_> = edges.iter().map(|(from, _)| from.clone()).collect();
        let imported: BTreeSet<_> = edges.iter().map(|(_, to)| to.clone()).collect();
        let before = edges.len();
        edges.retain(|(from, to)| imported.contains(from) && importing.contains(to));
        if edges.len() == before {
            return;
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
    let own = module.pop();
    module.retain(|name| name != "generated");
    module.extend(own);
    module
}

/// The paths that a module names by `crate::` or `super::`, from the crate's root.
fn imports(source: &str, own: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let code = code(source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default());
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

/// A source without comments and texts.
fn code(mut source: &str) -> String {
    let mut code = String::new();
    while let Some(first) = source.chars().next() {
        let raw = if first == 'r' && !code.ends_with(is_name) { raw_text(source) } else { None };
        let left_out = match first {
            '/' if source.starts_with("//") => source.find('\n').unwrap_or(source.len()),
            '"' => text(source),
            '\'' => character(source),
            _ => raw.unwrap_or(0),
        };
        if left_out == 0 {
            code.push(first);
        }
        source = &source[left_out.max(first.len_utf8())..];
    }
    code
}

/// The length of the text at the beginning.
fn text(source: &str) -> usize {
    let mut is_escaped = false;
    let end = source.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    end.map_or(source.len(), |(at, _)| at + 1)
}

/// The length of a text such as `r#"…"#` at the beginning; none if it is something else.
fn raw_text(source: &str) -> Option<usize> {
    let begin = source.find('"')? + 1;
    let hashes = source[1..begin - 1].chars().all(|c| c == '#').then_some(begin - 2)?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(begin + source[begin..].find(&end)? + end.len())
}

/// The length of the character at the beginning; nothing if this is a lifetime.
fn character(source: &str) -> usize {
    let mut rest = source.char_indices().skip(1);
    let is_escaped = rest.next().is_some_and(|(_, c)| c == '\\');
    let end = if is_escaped { rest.skip(1).find(|(_, c)| *c == '\'') } else { rest.next() };
    end.filter(|(_, c)| *c == '\'').map_or(0, |(at, _)| at + 1)
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
        let texts = ["\"\\\"crate::a\"", "r#\"\"crate::a\"#", "r\"\\\"", "'\"'", "'\\''", "'é'", "'\\u{22}'"];
        for text in texts {
            assert_eq!(imported(&format!("f::<'_>({text}, crate::b)")), ["b"], "{text}");
        }
    }

    #[test]
    fn circles_and_imports_of_the_root_are_reported() {
        let src = std::env::temp_dir().join(format!("frontdesk-direction-{}/src", std::process::id()));
        fs::create_dir_all(src.join("b")).unwrap();
        let put = |name: &str, source: &str| fs::write(src.join(name), source).unwrap();
        put("lib.rs", "mod a;\nmod b;\npub use crate::b::B;");
        put("a.rs", "use crate::b::B;");
        put("b/mod.rs", "use crate::b::one::One;");
        put("b/one.rs", "use super::two::Two;\nuse super::B;");
        put("b/two.rs", "use crate::b::one;\nuse super::three;");
        put("b/three.rs", "use crate::a::A;");
        assert_eq!(
            wrong_imports(&src),
            ["a imports b", "b imports a", "b::one imports b::two", "b::two imports b::one"]
        );
        put("b/three.rs", "");
        put("b/two.rs", "use super::three;");
        assert!(wrong_imports(&src).is_empty());
        fs::create_dir_all(src.join("generated/c")).unwrap();
        put("generated/mod.rs", "pub mod c;\nuse crate::a::A;");
        put("generated/c/mod.rs", "use crate::a::A;");
        put("a.rs", "use crate::c::C;");
        assert_eq!(wrong_imports(&src), ["a imports c", "c imports a"]);
        put("a.rs", "");
        put("b/two.rs", "use crate::B;");
        assert_eq!(wrong_imports(&src), ["b::two imports B of the root"]);
        fs::remove_dir_all(src.parent().unwrap()).unwrap();
    }

    #[test]
    fn modules_of_every_crate_import_in_one_direction() {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let crates = fs::read_dir(workspace.join("crates"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir());
        let wrong: Vec<String> = crates
            .chain(["bench", "e2e", "sdk/rust"].map(|folder| workspace.join(folder)))
            .flat_map(|folder| {
                let name = folder.file_name().unwrap().to_string_lossy().into_owned();
                wrong_imports(&folder.join("src")).into_iter().map(move |import| format!("{name}: {import}"))
            })
            .collect();
        assert!(wrong.is_empty(), "modules import in circles, or from the root:\n{}", wrong.join("\n"));
    }
}
