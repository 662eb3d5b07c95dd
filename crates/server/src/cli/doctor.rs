//! `frontdesk doctor`: prints what it found, and writes a bundle for a bug report.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::print;
use crate::config::ServeArgs;
use crate::doctor;
use crate::error::Result;
use crate::installation::Installation;

#[derive(Args)]
pub(super) struct Command {
    #[command(flatten)]
    serve: ServeArgs,
    /// Also write a file for a bug report, which must not exist: what was found, the settings without secrets, sizes and
    /// metrics, and nothing that an account stores
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
}

impl Command {
    pub(super) fn run(self, installation: &Installation) -> Result<ExitCode> {
        let report = doctor::examine(&self.serve, installation)?;
        if let Some(path) = &self.bundle {
            doctor::write_bundle(path, &report, &self.serve, installation)?;
        }
        print::output(installation.json, &report, || match &self.bundle {
            Some(path) => format!("{report}\nWrote {}. Read it before you send it.", path.display()),
            None => report.to_string(),
        })?;
        Ok(if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
