//! Installing: the check for service managers, what packages ship, the image of a container, the unit of systemd.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use frontdesk_e2e::{App, Scratch, on_every_engine, on_sqlite, server_binary};

on_every_engine! {
    health_says_whether_the_server_of_this_machine_is_ready,
}

on_sqlite! {
    completions_are_scripts_that_the_shell_reads,
    every_command_has_a_man_page,
    an_image_needs_nothing_but_its_files_and_writes_to_two_directories,
    the_unit_is_hardened,
    the_package_contains_files_that_exist,
}

/// What `systemd-analyze security` may find, in tenths of its points from 0 (safe) to 10.
const EXPOSURE_TENTHS_MAX: u32 = 15;

/// Runs a server with its root at $1, of which only two directories can be written to, and asks it for its health. It takes
/// any free port, and says which.
const RUN_IMAGE: &str = r#"
set -eu
root=$1
as= owner=mode=0700
if [ "$(awk '{print $2; exit}' /proc/self/uid_map)" = 0 ]; then
    as=--userspec=65532:65532 owner=mode=0700,uid=65532,gid=65532
fi
mkdir "$root/proc"
mount --bind "$root" "$root"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o "$owner" tmpfs "$root/data"
mount --rbind /proc "$root/proc"
mount -o remount,bind,ro "$root"
database=FRONTDESK_DATABASE=sqlite:/data/frontdesk.db
inside() { env -i PATH="$PATH" $database chroot $as "$root" /usr/bin/frontdesk "$@"; }
(exec env -i PATH="$PATH" $database FRONTDESK_LISTEN=0.0.0.0:0 chroot $as "$root" /usr/bin/frontdesk serve \
    --base-url https://desk.example.com >"$root.said") &
server=$!
tries=0 port=
until [ -n "$port" ]; do
    tries=$((tries + 1))
    [ $tries -lt 300 ]
    sleep 0.1
    port=$(sed -n 's/.*listening on .*:\([0-9]*\)$/\1/p' "$root.said")
done
inside health --listen "0.0.0.0:$port"
inside account create --name Acme --timezone Europe/Berlin
! touch "$root/usr/bin/other"
kill $server
wait $server
! inside health --listen "0.0.0.0:$port"
"#;

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

#[track_caller]
fn succeeded(output: Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    out.into_owned()
}

#[track_caller]
fn install(package: &str) {
    let installed = Command::new(repository().join("scripts/install")).arg(package).output();
    succeeded(installed.expect("scripts/install runs"));
}

/// Runs a program of a Debian package, which is installed if it is missing.
#[track_caller]
fn run(package: &str, program: &str, args: &[&str]) -> Output {
    let attempt = || Command::new(program).args(args).output();
    attempt().unwrap_or_else(|_| {
        install(package);
        attempt().unwrap_or_else(|error| panic!("{program} does not run: {error}"))
    })
}

fn health_says_whether_the_server_of_this_machine_is_ready(app: App) {
    let address = app.base().trim_start_matches("http://").to_owned();
    let said = app.run(&["health", "--listen", &address]).expect_success();
    assert!(said.out.contains("is ready"), "{said:?}");
    let body = app.run(&["health", "--listen", &address, "--json"]).expect_success().json();
    assert_eq!(body["status"], "ready");
    app.stop();
    let error = app.run(&["health", "--listen", &address]).expect_failure();
    assert!(error.contains("no server answers") && error.contains("--listen"), "{error}");
    let error = app.run(&["health", "--listen", "somewhere"]).expect_failure();
    assert!(error.contains("ADDRESS:PORT"), "{error}");
    app.restart();
}

fn completions_are_scripts_that_the_shell_reads(app: App) {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = app.run_bare(&["completions", shell]).expect_success().out;
        assert!(script.contains("regenerate") && script.contains("web_chat"), "{shell}: {script}");
        let path = scratch.path().join(shell);
        fs::write(&path, script).expect("a file");
        if shell == "bash" {
            succeeded(Command::new("bash").arg("-n").arg(&path).output().expect("bash runs"));
        }
    }
    app.run_bare(&["completions", "cmd"]).expect_failure();
}

fn every_command_has_a_man_page(app: App) {
    let scratch = Scratch::new();
    let directory = scratch.path().join("man/pages");
    app.run_bare(&["man", directory.to_str().expect("a path")]).expect_success();
    for name in ["frontdesk", "frontdesk-serve", "frontdesk-key", "frontdesk-key-create"] {
        let page = fs::read_to_string(directory.join(format!("{name}.1"))).expect(name);
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
    let page = fs::read_to_string(directory.join("frontdesk-serve.1")).expect("a page");
    assert!(page.contains("FRONTDESK_TRUSTED_PROXIES"), "{page}");
    let error = app.run_bare(&["man", "/proc/nowhere"]).expect_failure();
    assert!(error.contains("cannot create the directory"), "{error}");
}

fn an_image_needs_nothing_but_its_files_and_writes_to_two_directories(app: App) {
    drop(app);
    let scratch = Scratch::new();
    let root: PathBuf = scratch.path().join("root");
    if !Path::new("/usr/share/zoneinfo").is_dir() {
        install("tzdata");
    }
    let made = Command::new(repository().join("deploy/rootfs")).arg(server_binary()).arg(&root).output();
    succeeded(made.expect("deploy/rootfs runs"));
    let is_root = succeeded(Command::new("id").arg("-u").output().expect("id runs")).trim() == "0";
    let mut server = Command::new("unshare");
    server.args(if is_root { &["--mount"][..] } else { &["--mount", "--map-root-user"] });
    server.args(["sh", "-c", RUN_IMAGE, "sh"]).arg(&root);
    let said = succeeded(server.output().expect("unshare runs"));
    assert!(said.contains("is ready") && said.contains("account"), "{said}");
    // A second image is not written over the first.
    let again = Command::new(repository().join("deploy/rootfs")).arg(server_binary()).arg(&root).output();
    let refused = again.expect("deploy/rootfs runs");
    assert!(!refused.status.success(), "{refused:?}");
}

fn the_unit_is_hardened(app: App) {
    drop(app);
    let unit = repository().join("deploy/frontdesk.service");
    let threshold = format!("--threshold={EXPOSURE_TENTHS_MAX}");
    let unit = unit.to_str().expect("a path");
    let args = ["security", "--no-pager", "--offline=true", &threshold, unit];
    succeeded(run("systemd", "systemd-analyze", &args));
}

/// Every file that the Debian package names is in the repository, or made by `deploy/package-files`.
fn the_package_contains_files_that_exist(app: App) {
    drop(app);
    let scratch = Scratch::new();
    let package = scratch.path().join("package");
    let made =
        Command::new(repository().join("deploy/package-files")).arg(server_binary()).arg(&package).output();
    succeeded(made.expect("deploy/package-files runs"));
    let manifest = fs::read_to_string(repository().join("crates/server/Cargo.toml")).expect("a manifest");
    let listed: Vec<&str> =
        manifest.lines().filter_map(|line| line.trim().strip_prefix("[\"")?.split('"').next()).collect();
    assert!(listed.len() > 5, "{listed:?}");
    for path in listed.iter().filter(|path| **path != "target/release/frontdesk") {
        let path = path.strip_prefix("../../").expect("a path from the crate");
        let found = match path.strip_prefix("target/package/") {
            Some("man/*.1") => package.join("man/frontdesk-serve.1"),
            Some(name) => package.join(name),
            None => repository().join(path),
        };
        assert!(found.is_file(), "{path} is missing");
    }
}
