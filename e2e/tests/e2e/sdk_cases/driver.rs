//! A package that was built, packed and installed into an empty project, and the program in that project that uses it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use frontdesk_e2e::PATIENCE;
use serde_json::Value;

use super::first_page::{self, FirstPage};

/// One SDK, by the name of its directory below `sdk/`.
pub(crate) struct Sdk {
    pub(super) language: &'static str,
    project: OnceLock<PathBuf>,
    beginners_project: OnceLock<PathBuf>,
    /// The package whose project this client of it uses, and how its cases' names end.
    client_of: Option<(&'static Sdk, &'static str)>,
}

/// A case that a program is at.
pub(super) struct Running {
    child: Child,
    name: String,
}

impl Sdk {
    pub(crate) const fn new(language: &'static str) -> Self {
        Self { language, project: OnceLock::new(), beginners_project: OnceLock::new(), client_of: None }
    }

    /// Another client of the same package. The names of its cases have this ending.
    pub(crate) const fn client(of: &'static Self, ending: &'static str) -> Self {
        let client_of = Some((of, ending));
        Self {
            language: of.language,
            project: OnceLock::new(),
            beginners_project: OnceLock::new(),
            client_of,
        }
    }

    /// The empty project with the installed package, which is made once. `sdk/LANGUAGE/test/install DIRECTORY` leaves a
    /// program `driver` in it.
    fn project(&self) -> &PathBuf {
        if let Some((package, _)) = self.client_of {
            return package.project();
        }
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

    /// An empty project in which a new user has followed the package's first page, up to running the program. It is made
    /// once.
    #[track_caller]
    pub(super) fn beginners_project(&self, page: &FirstPage) -> &PathBuf {
        // It downloads what the package needs, so that following the page needs no network.
        self.prepare();
        self.beginners_project.get_or_init(|| {
            let project = first_page::empty_project(self.language);
            page.install(&project, None);
            page.save(&project);
            project
        })
    }

    /// Begins a case.
    #[track_caller]
    pub(super) fn begin(&self, case: &str, input: &Value) -> Running {
        let project = self.project();
        let case = format!("{case}{}", self.client_of.map_or("", |(_, ending)| ending));
        let mut child = Command::new("timeout")
            .arg(PATIENCE.as_secs().to_string())
            .arg(project.join("driver"))
            .arg(&case)
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
    pub(crate) fn run(&self, case: &str, input: &Value) -> Value {
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
pub(super) fn succeed(command: &mut Command) {
    let output = command.output().expect("the script runs");
    let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} failed: {said}{why}");
}
