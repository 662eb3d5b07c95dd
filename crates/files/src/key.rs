//! The names of files.

use std::fmt;

use frontdesk_kernel::Id;
use frontdesk_kernel::ids::AccountId;

/// A file outside the database. Every copy of a file has an id of its own, so no file is ever overwritten.
pub enum StoredFile {}
pub type FileId = Id<StoredFile>;

/// The name of a file in its place: `ACCOUNT/7F/FILE`. It has nothing that a person has chosen. The directory in the middle
/// is the end of the id, which is random, so that no directory has too many files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKey {
    pub account: AccountId,
    pub file: FileId,
}

impl fmt::Display for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.file.uuid().as_bytes()[15];
        write!(f, "{}/{last:02x}/{}", self.account, self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_only_digits_dashes_and_two_slashes() {
        let account: AccountId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let file: FileId = "01890a5d-ac96-774b-bcce-b302099a80f0".parse().unwrap();
        let text = FileKey { account, file }.to_string();
        assert_eq!(text, "01890a5d-ac96-774b-bcce-b302099a8057/f0/01890a5d-ac96-774b-bcce-b302099a80f0");
        for attempt in
            ["..", "../../etc/passwd", "%2e%2e", "01890a5d-ac96-774b-bcce-b302099a80f0/..", "", "/"]
        {
            assert!(attempt.parse::<FileId>().is_err(), "{attempt}");
            assert!(attempt.parse::<AccountId>().is_err(), "{attempt}");
        }
    }
}
