//! What the dependencies may be, of the server and of the dashboard: their licences, where they come from, and how many
//! versions of one there are. `deny.toml` lists the licences. Known vulnerabilities are for `cargo deny`, which needs a database.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::shapes::text;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// The platform whose packages every build has downloaded.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Crates of which there are several versions, because other crates ask for an older one.
const SEVERAL_VERSIONS: &[&str] =
    &["base64", "bitflags", "fallible-iterator", "getrandom", "hashbrown", "rand", "rand_core", "syn"];
/// Licences that only packages of the dashboard have. They ask for nothing.
const LICENCES_OF_NPM: &[&str] = &["Unlicense"];

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn crates() -> Vec<Value> {
    let asked = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", PLATFORM])
        .current_dir(workspace())
        .output()
        .expect("cargo runs");
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let metadata: Value = serde_json::from_slice(&asked.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// The packages of the dashboard by their path in `node_modules`.
fn npm_packages() -> Vec<(String, Value)> {
    let lock = fs::read_to_string(workspace().join("dashboard/package-lock.json")).expect("the lock file");
    let lock: Value = serde_json::from_str(&lock).expect("JSON");
    let packages = lock["packages"].as_object().expect("packages").clone();
    packages.into_iter().filter(|(path, _)| !path.is_empty()).collect()
}

/// The strings that follow this text in `deny.toml`, up to the end of the list.
fn denied_or_allowed(begins: &str) -> BTreeSet<String> {
    let file = fs::read_to_string(workspace().join("deny.toml")).expect("deny.toml");
    let (_, list) = file.split_once(begins).unwrap_or_else(|| panic!("no {begins} in deny.toml"));
    let (list, _) = list.split_once("\n]").expect("the end of the list");
    list.lines().filter_map(|line| line.split('"').nth(1)).map(str::to_owned).collect()
}

/// Whether an SPDX expression is satisfied by allowed licences. A slash is an old way to write OR.
fn is_allowed(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let is_allowed = any(&words, &mut at, allowed);
    assert_eq!(at, words.len(), "{expression} is not understood");
    is_allowed
}

fn any(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut found = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        found |= all(words, at, allowed);
    }
    found
}

fn all(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut found = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        found &= one(words, at, allowed);
    }
    found
}

fn one(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let word = words.get(*at).copied().unwrap_or_default();
    *at += 1;
    if word == "(" {
        let found = any(words, at, allowed);
        *at += 1;
        return found;
    }
    if words.get(*at) == Some(&"WITH") {
        *at += 2;
        return allowed(&format!("{word} WITH {}", words.get(*at - 1).copied().unwrap_or_default()));
    }
    allowed(word)
}

#[test]
fn a_licence_expression_is_read_as_spdx_means_it() {
    let allowed = |name: &str| ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].contains(&name);
    for good in
        ["MIT", "GPL-3.0 OR MIT", "(GPL-3.0 OR MIT) AND ISC", "GPL-3.0/MIT", "Apache-2.0 WITH LLVM-exception"]
    {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "Apache-2.0", "MIT AND (GPL-3.0)"] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let list = denied_or_allowed("allow = [");
    let of_crate = |name: &str| list.contains(name);
    for package in crates() {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence, &of_crate), "{}: {licence}", package["name"]);
    }
    let of_npm = |name: &str| list.contains(name) || LICENCES_OF_NPM.contains(&name);
    for (path, package) in npm_packages() {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence, &of_npm), "{path}: {licence}");
    }
}

#[test]
fn every_dependency_comes_from_the_registry() {
    let refused = denied_or_allowed("deny = [");
    assert!(!refused.is_empty());
    for package in crates() {
        let name = text(&package["name"]);
        assert!(!refused.contains(name), "deny.toml refuses {name}");
        let is_ours = package["source"].is_null()
            && Path::new(text(&package["manifest_path"])).starts_with(workspace());
        assert!(is_ours || package["source"] == REGISTRY, "{name}: {}", package["source"]);
    }
    for (path, package) in npm_packages() {
        let from = package["resolved"].as_str();
        assert!(from.is_none_or(|url| url.starts_with("https://registry.npmjs.org/")), "{path}: {from:?}");
        assert!(package["integrity"].is_string() && package["link"].is_null(), "{path} has no checksum");
    }
}

#[test]
fn no_dependency_comes_in_several_versions_unknowingly() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in crates() {
        let (name, version) = (text(&package["name"]).to_owned(), text(&package["version"]).to_owned());
        versions.entry(name).or_default().insert(version);
    }
    let several: Vec<&str> =
        versions.iter().filter(|(_, versions)| versions.len() > 1).map(|(name, _)| name.as_str()).collect();
    assert_eq!(several, SEVERAL_VERSIONS, "{versions:?}");
    let mut shipped: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, package) in npm_packages().into_iter().filter(|(_, package)| package["dev"] != true) {
        let name = path.rsplit("node_modules/").next().unwrap_or_default().to_owned();
        shipped.entry(name).or_default().insert(text(&package["version"]).to_owned());
    }
    shipped.retain(|_, versions| versions.len() > 1);
    assert!(shipped.is_empty(), "browsers would load these more than once: {shipped:?}");
}
