//! Silence as a complete Ogg Opus file, the format of voice notes.

use bytes::Bytes;

/// One frame of 20 ms of silence.
const SILENCE: &[u8] = &[0xf8, 0xff, 0xfe];
const SAMPLES_PER_FRAME: u64 = 960;
/// Samples that a decoder drops at the beginning.
const PRE_SKIP: u16 = 312;
const FRAMES_PER_PAGE_MAX: usize = 255;
const SERIAL: u32 = 1;

const FIRST: u8 = 2;
const LAST: u8 = 4;

/// A file with this many frames, at least one.
pub(super) fn silence(frames: usize) -> Bytes {
    let frames = frames.max(1);
    let mut head = b"OpusHead\x01\x01".to_vec();
    head.extend_from_slice(&PRE_SKIP.to_le_bytes());
    head.extend_from_slice(&48_000_u32.to_le_bytes());
    head.extend_from_slice(&[0, 0, 0]);
    let mut tags = b"OpusTags\x09\0\0\0frontdesk".to_vec();
    tags.extend_from_slice(&0_u32.to_le_bytes());
    let mut file = page(FIRST, 0, 0, &[&head]);
    file.extend(page(0, 0, 1, &[&tags]));
    let mut written = 0;
    for sequence in 2.. {
        let count = FRAMES_PER_PAGE_MAX.min(frames - written);
        written += count;
        let flags = if written == frames { LAST } else { 0 };
        let position = written as u64 * SAMPLES_PER_FRAME;
        file.extend(page(flags, position, sequence, &vec![SILENCE; count]));
        if written == frames {
            break;
        }
    }
    file.into()
}

/// A page of packets, each shorter than 255 bytes.
fn page(flags: u8, position: u64, sequence: u32, packets: &[&[u8]]) -> Vec<u8> {
    let mut page = b"OggS\0".to_vec();
    page.push(flags);
    page.extend_from_slice(&position.to_le_bytes());
    page.extend_from_slice(&SERIAL.to_le_bytes());
    page.extend_from_slice(&sequence.to_le_bytes());
    let checksum_at = page.len();
    page.extend_from_slice(&[0; 4]);
    page.push(packets.len() as u8);
    page.extend(packets.iter().map(|packet| packet.len() as u8));
    page.extend(packets.iter().copied().flatten());
    let checksum = checksum(&page).to_le_bytes();
    page[checksum_at..checksum_at + 4].copy_from_slice(&checksum);
    page
}

/// The CRC that Ogg uses: its polynomial without reflection.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ (u32::from(*byte) << 24), |crc: u32, _| {
            (crc << 1) ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_its_checksum_and_only_the_last_ends_the_file() {
        let file = silence(300);
        let starts: Vec<_> = (0..file.len()).filter(|at| file[*at..].starts_with(b"OggS")).collect();
        assert_eq!(starts.len(), 4);
        let ends = starts.iter().skip(1).copied().chain([file.len()]);
        for (start, end) in starts.iter().zip(ends) {
            let mut page = file[*start..end].to_vec();
            let told = u32::from_le_bytes(page[22..26].try_into().unwrap());
            page[22..26].fill(0);
            assert_eq!(checksum(&page), told);
            assert_eq!(page[5] == LAST, end == file.len());
        }
        assert!(file[28..].starts_with(b"OpusHead"));
    }
}
