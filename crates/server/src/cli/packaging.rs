//! What packages ship beside the binary, made from the command line's own description: completions and man pages.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use crate::error::{Error, Result};

#[derive(Args)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "frontdesk", &mut script);
        std::io::stdout().write_all(&script).map_err(Error::doing("print the script"))
    }
}

#[derive(Args)]
pub(super) struct Man {
    /// The directory to write the pages into; it is created if it is missing
    #[arg(value_name = "DIRECTORY")]
    directory: PathBuf,
}

impl Man {
    pub(super) fn run(self) -> Result<()> {
        fs::create_dir_all(&self.directory)
            .map_err(Error::doing(format!("create the directory {}", self.directory.display())))?;
        clap_mangen::generate_to(Cli::command(), &self.directory)
            .map_err(Error::doing(format!("write the pages into {}", self.directory.display())))
    }
}
