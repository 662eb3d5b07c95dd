//! Writes the generated parts of the SDKs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use frontdesk_sdk_generator::GENERATED;

use crate::document;
use crate::error::{Error, Result};
use crate::routes;

#[derive(Args)]
pub(super) struct Command {
    /// The `sdk` directory of a checkout
    #[arg(value_name = "DIRECTORY")]
    directory: PathBuf,
}

impl Command {
    pub(super) fn run(self) -> Result<()> {
        let files = frontdesk_sdk_generator::files(&document::build(&routes::table()));
        let wanted: BTreeSet<&Path> = files.iter().map(|(path, _)| path.as_path()).collect();
        for path in generated(&self.directory)? {
            if !wanted.contains(path.as_path()) {
                let path = self.directory.join(path);
                fs::remove_file(&path).map_err(Error::doing(format!("remove {}", path.display())))?;
            }
        }
        for (path, text) in &files {
            write(&self.directory.join(path), text)?;
        }
        Ok(())
    }
}

/// Writes a file, unless it has this text: tools that look at times then see no change.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    let doing = || format!("write {}", path.display());
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(Error::doing(doing()))?;
    }
    fs::write(path, text).map_err(Error::doing(doing()))
}

/// The files in generated directories, with their paths below this one. What packages build and install is passed over.
fn generated(root: &Path) -> Result<Vec<PathBuf>> {
    const BUILT: [&str; 6] = ["node_modules", "target", ".venv", "dist", "build", "__pycache__"];
    let (mut todo, mut found) = (vec![root.to_owned()], Vec::new());
    while let Some(directory) = todo.pop() {
        if !directory.exists() {
            continue;
        }
        let doing = || format!("read the directory {}", directory.display());
        for entry in fs::read_dir(&directory).map_err(Error::doing(doing()))? {
            let path = entry.map_err(Error::doing(doing()))?.path();
            let below = path.strip_prefix(root).unwrap_or(&path);
            let is_built = path.file_name().is_some_and(|name| BUILT.iter().any(|each| name == *each));
            if path.is_dir() && !is_built {
                todo.push(path);
            } else if path.is_file()
                && below.parent().is_some_and(|parent| parent.iter().any(|part| part == GENERATED))
            {
                found.push(below.to_owned());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use frontdesk_agent::Trials;
    use frontdesk_crm::tags::{Tag, TagId};
    use frontdesk_kernel::Scope;
    use frontdesk_platform::events::{Catalogue, EventDeclaration};
    use frontdesk_platform::{Caller, Route, Table};
    use frontdesk_web::{Data, Failure, Path as InPath, Result as WebResult};

    use super::*;

    /// Other than the document of the API, these are no part of the binary, so they are compared here.
    #[test]
    fn the_committed_files_are_those_that_are_generated() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk");
        let files = frontdesk_sdk_generator::files(&document::build(&routes::table()));
        assert!(!files.is_empty());
        for (path, text) in &files {
            let committed = fs::read_to_string(root.join(path)).unwrap_or_default();
            assert!(committed == *text, "sdk/{} is stale; run `make sdk`", path.display());
        }
        for path in generated(&root).unwrap() {
            let is_wanted = files.iter().any(|(wanted, _)| *wanted == path);
            assert!(is_wanted, "sdk/{} is no longer generated; run `make sdk`", path.display());
        }
    }

    async fn paint(_: Caller, InPath(_): InPath<TagId>) -> WebResult<Data<Tag>> {
        Err(Failure::internal())
    }

    #[test]
    fn a_route_and_an_event_that_are_new_are_in_every_package() {
        let mut routes = routes::declared(&Trials::default());
        let route = Route::post("/tags/{id}/paint", "paintTag", paint);
        routes.push(route.scope(Scope::ContactsWrite).idempotent().tag("Tags").summary("Paint a tag"));
        let mut event_types = routes::event_types();
        let created = *event_types.iter().find(|declared| declared.name == "contact.created").unwrap();
        event_types.push(EventDeclaration {
            name: "tag.painted",
            description: "A tag was painted.",
            ..created
        });
        let document = document::of(&Table::new(routes), Catalogue::new(event_types));
        let files = frontdesk_sdk_generator::files(&document);
        for (path, part) in [
            (
                "typescript/src/generated/resources.ts",
                "  paint(tagId: string, options?: RequestOptions): Call<Tag> {",
            ),
            ("typescript/src/generated/events.ts", "  | TagPaintedEvent\n"),
            ("typescript/test/generated/samples.ts", "client.tags.paint(tagId)"),
            (
                "python/src/frontdesk/generated/resources/tags.py",
                "    def paint(self, tag_id: str, *, idempotency_key: ",
            ),
            (
                "python/src/frontdesk/generated/resources/tags.py",
                "    async def paint(self, tag_id: str, *, idempotency_key: ",
            ),
            ("python/src/frontdesk/generated/types/events.py", "    | TagPaintedEvent\n"),
            ("python/test/generated/samples.py", "client.tags.paint(tag_id)"),
            ("rust/src/generated/resources/tags.rs", "    pub fn paint(self, tag_id: Uuid) -> Write<Tag> {"),
            ("rust/src/generated/types/events.rs", "    TagPainted(ContactEventData),"),
            ("rust/test/driver/src/generated/samples.rs", ".paint("),
            ("n8n/generated/operations.json", "\"path\": \"/api/v1/tags/{id}/paint\""),
            ("n8n/generated/properties.json", "\"Paint a tag\""),
            ("n8n/generated/events.json", "\"value\": \"tag.painted\""),
            ("curl/test/generated/samples.sh", "$FRONTDESK_BASE_URL/api/v1/tags/$tag_id/paint\""),
            ("generated/samples.md", "client.tags.paint(tagId)"),
        ] {
            let written = files.iter().find(|(written, _)| written == Path::new(path));
            let text = &written.unwrap_or_else(|| panic!("there is no {path}")).1;
            assert!(text.contains(part), "{path} has no {part}");
            let committed =
                fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk").join(path));
            assert!(!committed.unwrap().contains(part), "{path} has {part} without it");
        }
    }
}
