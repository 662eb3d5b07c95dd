//! A package that was built, packed and installed into an empty project, and the program in that project that uses it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use frontdesk_e2e::PATIENCE;
use serde_json::Value;

/// One SDK, by the name of its directory below `sdk/`.
pub(crate) struct Sdk {
    language: &'static str,
    project: OnceLock<PathBuf>,
}

/// A case that a program is at.
pub(super) struct Running {
    child: Child,
    name: String,
}

impl Sdk {
    pub(crate) const fn new(language: &'static str) -> Self {
        Self { language, project: OnceLock::new() }
    }

    /// The empty project with the installed package, which is made once. `sdk/LANGUAGE/test/install DIRECTORY` leaves a
    /// program `driver` in it.
    fn project(&self) -> &PathBuf {
        self.project.get_or_init(|| {
            let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
            let project = root.join("target/sdk").join(self.language);
            // A package from an earlier run must not be used by mistake.
            let _ = std::fs::remove_dir_all(&project);
            std::fs::create_dir_all(&project).expect("an empty directory");
            succeed(Command::new(self.package().join("test/install")).arg(&project));
            project
        })
    }

    /// Makes the project now, for a case that cannot wait for it.
    pub(super) fn prepare(&self) {
        self.project();
    }

    fn package(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../sdk").join(self.language)
    }

    /// Runs the tests that need no server, and the lints, by `sdk/LANGUAGE/test/unit`.
    #[track_caller]
    pub(crate) fn pass_own_tests(&self) {
        succeed(&mut Command::new(self.package().join("test/unit")));
    }

    /// The lines of code on the package's first page from installing it to a sent message: the blocks for a shell, and the
    /// first program. Blank lines are not among them.
    #[track_caller]
    pub(super) fn first_lines(&self) -> Vec<String> {
        let page = std::fs::read_to_string(self.package().join("README.md")).expect("the first page");
        let mut lines = Vec::new();
        let mut rest = page.lines();
        while let Some(fence) = rest.find(|line| line.starts_with("```")) {
            let block = rest.by_ref().take_while(|line| *line != "```");
            lines.extend(block.filter(|line| !line.trim().is_empty()).map(str::to_owned));
            if fence != "```sh" {
                break;
            }
        }
        lines
    }

    /// Begins a case.
    #[track_caller]
    pub(super) fn begin(&self, case: &str, input: &Value) -> Running {
        let project = self.project();
        let mut child = Command::new("timeout")
            .arg(PATIENCE.as_secs().to_string())
            .arg(project.join("driver"))
            .arg(case)
            .current_dir(project)
            .env_remove("FRONTDESK_API_KEY")
            .env_remove("FRONTDESK_BASE_URL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the driver runs");
        let mut stdin = child.stdin.take().expect("its input");
        stdin.write_all(input.to_string().as_bytes()).expect("it reads its input");
        Running { child, name: format!("{} {case}", self.language) }
    }

    /// Runs a case to its end, and returns what it says.
    #[track_caller]
    pub(super) fn run(&self, case: &str, input: &Value) -> Value {
        self.begin(case, input).finish()
    }
}

impl Running {
    /// Waits until it has ended, and returns the JSON of its last line.
    #[track_caller]
    pub(super) fn finish(self) -> Value {
        let output = self.child.wait_with_output().expect("it ends");
        let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{} failed: {said}{why}", self.name);
        let last = said.lines().last().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{} said {last:?}: {error}{why}", self.name))
    }
}

#[track_caller]
fn succeed(command: &mut Command) {
    let output = command.output().expect("the script runs");
    let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} failed: {said}{why}");
}
