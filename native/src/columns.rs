//! The rows of one stream of a stretch, in columns.

use crate::streams::Passed;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Place of the line in the part, where it begins, its kind, its value and its number.
#[derive(Default)]
pub struct Columns {
    places: Vec<u8>,
    starts: Vec<u8>,
    kinds: Vec<u8>,
    values: Vec<u8>,
    numbers: Vec<u8>,
    /// Of each kind: how many rows there are, and which is the first.
    tally: Vec<(u16, u32, u32)>,
    /// Rows before which another line was passed over than before the row above, and that line.
    befores: Vec<(u32, u32, u32)>,
    rows: u32,
}

pub struct Row {
    pub place: u32,
    pub start: u32,
    pub kind: u16,
    pub value: f64,
    pub number: u64,
}

pub type Run<'py> = (
    String,
    [Bound<'py, PyBytes>; 5],
    Vec<(u16, u32, u32)>,
    Vec<(u32, u32, u32)>,
);

impl Columns {
    /// `before`: the line of its stream that was passed over last.
    pub fn push(&mut self, row: &Row, before: Option<Passed>) {
        self.places.extend_from_slice(&row.place.to_ne_bytes());
        self.starts.extend_from_slice(&row.start.to_ne_bytes());
        self.kinds.extend_from_slice(&row.kind.to_ne_bytes());
        self.values.extend_from_slice(&row.value.to_ne_bytes());
        self.numbers.extend_from_slice(&row.number.to_ne_bytes());
        match self.tally.iter_mut().find(|(kind, ..)| *kind == row.kind) {
            Some((_, count, _)) => *count += 1,
            None => self.tally.push((row.kind, 1, self.rows)),
        }
        if let Some((place, start)) = before {
            if self.befores.last().is_none_or(|last| last.1 != place) {
                self.befores.push((self.rows, place, start));
            }
        }
        self.rows += 1;
    }

    pub fn into_run(self, py: Python<'_>, stream: String) -> Run<'_> {
        let bytes = |column: Vec<u8>| PyBytes::new(py, &column);
        let columns = [
            bytes(self.places),
            bytes(self.starts),
            bytes(self.kinds),
            bytes(self.values),
            bytes(self.numbers),
        ];
        (stream, columns, self.tally, self.befores)
    }
}
