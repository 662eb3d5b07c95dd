//! The format of a backup.
//!
//! ```text
//! MAGIC, the length of the header in 4 bytes, the header as JSON
//! frames, compressed by gzip
//! END, the SHA-256 of everything before it
//! ```
//!
//! A frame is its kind in one byte, its length, and its bytes. Lengths and counts are numbers of seven bits a byte, lowest
//! first. A table's frame comes before those of its rows. The last frame counts them. A file that was cut off has no END.

use std::io::{Read, Result as IoResult};

use frontdesk_db::tables::{StoredRow, StoredValue};
use frontdesk_kernel::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub(super) const MAGIC: &[u8; 16] = b"frontdesk-backup";
pub(super) const END: &[u8; 8] = b"complete";
pub(super) const CHECKSUM_BYTES: usize = 32;
/// The version of the format.
pub(super) const FORMAT: u32 = 1;
pub(super) const HEADER_BYTES_MAX: u32 = 1 << 20;
/// No frame is larger: a row may have a large value, and a frame has few of those.
const FRAME_BYTES_MAX: u64 = 1 << 30;

/// What a backup says about itself. It is not compressed, so that anybody can read it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(super) format: u32,
    /// When the snapshot was taken, in milliseconds.
    pub(crate) created_at_millis: i64,
    /// The version of the program.
    pub(crate) version: String,
    pub(crate) engine: Engine,
    /// The migrations of the database.
    pub(crate) migrations: Vec<i64>,
    pub(crate) has_secret_key: bool,
    /// Whether it has the files that were outside the database. Older backups are of databases that had none.
    #[serde(default = "yes")]
    pub(crate) has_outside_files: bool,
    /// The key that the secrets are sealed under, if there are any.
    pub(crate) secret_key_id: Option<String>,
    pub(super) rows_about: u64,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    pub(crate) fn of(dialect: frontdesk_db::Dialect) -> Self {
        match dialect {
            frontdesk_db::Dialect::Sqlite => Self::Sqlite,
            frontdesk_db::Dialect::Postgres => Self::Postgres,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The kinds of frames.
pub(super) const KEY: u8 = b'K';
pub(super) const TABLE: u8 = b'T';
pub(super) const ROWS: u8 = b'R';
pub(super) const SUMS: u8 = b'E';

/// The frame before a table's rows.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TableStart {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
}

/// The rows of a table, and their checksum, which does not depend on the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableSum {
    pub(crate) table: String,
    pub(crate) rows: u64,
    pub(crate) sha256: String,
}

/// Adds up a table.
pub(super) struct Summing {
    table: String,
    rows: u64,
    sha256: Sha256,
}

impl Summing {
    pub(super) fn new(table: &str) -> Self {
        Self { table: table.to_owned(), rows: 0, sha256: Sha256::new() }
    }

    /// Adds rows, in the form in which they stand in a frame.
    pub(super) fn add(&mut self, rows: u64, encoded: &[u8]) {
        self.rows += rows;
        self.sha256.update(encoded);
    }

    pub(super) fn end(self) -> TableSum {
        TableSum { table: self.table, rows: self.rows, sha256: hex(&self.sha256.finalize()) }
    }
}

pub(super) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn put_row(out: &mut Vec<u8>, row: &StoredRow) {
    for value in row {
        match value {
            StoredValue::Null => out.push(0),
            StoredValue::Int(n) => {
                out.push(1);
                put_number(out, ((n << 1) ^ (n >> 63)) as u64);
            }
            StoredValue::Real(n) => {
                out.push(2);
                out.extend_from_slice(&n.to_bits().to_le_bytes());
            }
            StoredValue::Text(text) => {
                out.push(3);
                put_number(out, text.len() as u64);
                out.extend_from_slice(text.as_bytes());
            }
            StoredValue::Bytes(bytes) => {
                out.push(4);
                put_number(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
        }
    }
}

/// Reads the bytes of a frame.
pub(super) struct FrameBytes<'f>(pub(super) &'f [u8]);

impl<'f> FrameBytes<'f> {
    fn take(&mut self, length: usize) -> Option<&'f [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn value(&mut self) -> Option<StoredValue> {
        Some(match self.take(1)?[0] {
            0 => StoredValue::Null,
            1 => {
                let zigzag = self.number()?;
                StoredValue::Int((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
            }
            2 => StoredValue::Real(f64::from_bits(u64::from_le_bytes(self.take(8)?.try_into().ok()?))),
            3 => {
                let length = self.number()? as usize;
                StoredValue::Text(std::str::from_utf8(self.take(length)?).ok()?.to_owned())
            }
            4 => {
                let length = self.number()? as usize;
                StoredValue::Bytes(self.take(length)?.to_vec())
            }
            _ => return None,
        })
    }

    /// A row of so many columns.
    pub(super) fn row(&mut self, columns: usize) -> Option<StoredRow> {
        (0..columns).map(|_| self.value()).collect()
    }
}

/// Reads the next frame into the buffer; none at the end.
pub(super) fn read_frame(from: &mut impl Read, frame: &mut Vec<u8>) -> IoResult<Option<u8>> {
    let mut kind = [0];
    if from.read(&mut kind)? == 0 {
        return Ok(None);
    }
    let mut length = 0_u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        from.read_exact(&mut byte)?;
        length |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            break;
        }
    }
    if length > FRAME_BYTES_MAX {
        return Err(std::io::Error::other("a frame is too large"));
    }
    frame.clear();
    if from.take(length).read_to_end(frame)? as u64 != length {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(kind[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_reads_back() {
        let row = vec![
            StoredValue::Null,
            StoredValue::Int(0),
            StoredValue::Int(i64::MIN),
            StoredValue::Int(i64::MAX),
            StoredValue::Int(-1),
            StoredValue::Real(-0.5),
            StoredValue::Text("Ünal \u{1F600}".to_owned()),
            StoredValue::Bytes((0..=255).collect()),
            StoredValue::Bytes(vec![7; 70_000]),
        ];
        let mut bytes = Vec::new();
        put_row(&mut bytes, &row);
        let mut encoded = FrameBytes(&bytes);
        assert_eq!(encoded.row(row.len()), Some(row.clone()));
        assert!(encoded.0.is_empty());
        for end in 0..bytes.len() {
            assert_eq!(FrameBytes(&bytes[..end]).row(row.len()), None, "cut off at {end}");
        }
    }

    #[test]
    fn a_frame_reads_back_and_a_cut_one_fails() {
        let mut bytes = vec![ROWS];
        put_number(&mut bytes, 300);
        bytes.extend([9; 300]);
        let mut frame = Vec::new();
        assert_eq!(read_frame(&mut &bytes[..], &mut frame).unwrap(), Some(ROWS));
        assert_eq!(frame, [9; 300]);
        for end in 1..bytes.len() {
            assert!(read_frame(&mut &bytes[..end], &mut frame).is_err(), "cut off at {end}");
        }
        assert_eq!(read_frame(&mut &[][..], &mut frame).unwrap(), None);
    }
}
