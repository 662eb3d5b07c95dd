//! The first page of a package's documentation, followed to the letter by somebody who has a checkout of the repository.
//!
//! It has a block for a shell that installs the package, then the name of a file, what to save in it, and a block for a shell
//! that runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use frontdesk_e2e::Scratch;

use super::driver::succeed;

/// What a page writes for the address of the server and for the key.
const BASE_URL: &str = "http://127.0.0.1:8080";
const API_KEY: &str = "frontdesk_live_…";

pub(crate) struct FirstPage {
    blocks: Vec<Block>,
}

struct Block {
    language: String,
    /// The last name in backticks on the line before the block.
    named: Option<String>,
    code: String,
}

impl FirstPage {
    #[track_caller]
    pub(crate) fn of(package: &str) -> Self {
        let path = root().join("sdk").join(package).join("README.md");
        let page = fs::read_to_string(path).expect("the first page");
        let mut blocks = Vec::new();
        let mut named = None;
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            if let Some(language) = line.strip_prefix("```") {
                let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                let code = code.join("\n") + "\n";
                blocks.push(Block { language: language.to_owned(), named: named.take(), code });
            } else if !line.is_empty() {
                named = line.rsplit('`').nth(1).map(str::to_owned);
            }
        }
        Self { blocks }
    }

    /// The lines that install the package, the program, and how it is run; without blank lines.
    #[track_caller]
    pub(super) fn lines(&self) -> Vec<&str> {
        let blocks = [self.shell(0), &self.program().code, self.shell(2)];
        blocks.into_iter().flat_map(str::lines).filter(|line| !line.trim().is_empty()).collect()
    }

    #[track_caller]
    fn program(&self) -> &Block {
        self.blocks.get(1).expect("a program")
    }

    #[track_caller]
    fn shell(&self, at: usize) -> &str {
        let block = self.blocks.get(at).expect("a block for a shell");
        assert_eq!(block.language, "sh", "{}", block.code);
        &block.code
    }

    /// Does what installs the package, in this directory.
    #[track_caller]
    pub(crate) fn install(&self, directory: &Path, home: Option<&Path>) {
        run(self.shell(0), directory, home);
    }

    /// Saves the program in this directory.
    #[track_caller]
    pub(super) fn save(&self, directory: &Path) {
        let program = self.program();
        let file = program.named.as_ref().expect("the page names the file");
        fs::write(directory.join(file), &program.code).expect("a directory for the program");
    }

    /// Runs the program with the address of a server and a key.
    #[track_caller]
    pub(super) fn run(&self, directory: &Path, base_url: &str, api_key: &str) {
        let line = self.shell(2);
        assert!(line.contains(BASE_URL) && line.contains(API_KEY), "{line}");
        run(&line.replace(BASE_URL, base_url).replace(API_KEY, api_key), directory, None);
    }
}

/// A checkout of the repository, called `frontdesk`, of which only the package is there. What was built in it is not.
#[track_caller]
pub(crate) fn checkout(package: &str, place: &Path) -> PathBuf {
    let checkout = place.join("frontdesk");
    fs::create_dir(&checkout).expect("an empty directory");
    let copy = format!(
        "tar -cf - --exclude=node_modules --exclude=dist --exclude=target --exclude=__pycache__ -C '{}' sdk/{package} | tar -xf -",
        root().display()
    );
    succeed(Command::new("sh").args(["-c", &copy]).current_dir(&checkout));
    checkout
}

/// An empty project beside a checkout. Both last until the last test is over.
#[track_caller]
pub(super) fn empty_project(package: &str) -> PathBuf {
    let place = Scratch::shared(package);
    checkout(package, &place);
    let project = place.join("project");
    fs::create_dir(&project).expect("an empty directory");
    project
}

fn root() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).expect("the repository")
}

#[track_caller]
fn run(lines: &str, directory: &Path, home: Option<&Path>) {
    let target = root().join("target");
    let path = std::env::var("PATH").expect("a path");
    let mut shell = Command::new("sh");
    shell
        .args(["-euc", lines])
        .current_dir(directory)
        // What `scripts/dashboard` installs where there is no suitable node.
        .env("PATH", format!("{}:{path}", target.join("node/bin").display()))
        // What is downloaded already is good enough, and dependencies are compiled once.
        .env("npm_config_prefer_offline", "true")
        .env("CARGO_NET_OFFLINE", "true")
        .env("CARGO_TARGET_DIR", target.join("sdk-rust"))
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env_remove("FRONTDESK_API_KEY")
        .env_remove("FRONTDESK_BASE_URL");
    if let Some(home) = home {
        shell.env("HOME", home);
    }
    succeed(&mut shell);
}
