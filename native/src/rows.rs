//! Lines that a parser reads as a row of numbers: Python says where they stand in all lines of one shape, and takes
//! columns. `reading/rows.py` is the other side of this.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::{HashMap, HashSet};

use crate::sieve::{ASK, BLANK};

/// Of a row without a number of this kind.
const NO_NUMBER: u64 = u64::MAX;
/// Digits of a counter.
const MOST_DIGITS: usize = 10;

/// How lines of one shape are read.
struct Plan {
    kind: u16,
    /// From where to where, in the line.
    value: Option<(usize, usize)>,
    number: Option<(usize, usize)>,
    /// What names the stream.
    stream: Vec<(usize, usize)>,
}

/// Reads stretches of rows out of one part, as it learns shapes.
#[pyclass]
pub struct Rows {
    part: Py<PyBytes>,
    codes: Py<PyBytes>,
    starts: Py<PyBytes>,
    shapes: Py<PyBytes>,
    plans: HashMap<u16, Plan>,
    /// Shapes of which nobody takes anything.
    nobodys: HashSet<u16>,
    /// The same, but whoever must see all lines sees these, too.
    quiet: HashSet<u16>,
    streams: HashMap<Vec<u8>, u32>,
    name: Vec<u8>,
}

/// The columns of a stretch: place of the line in the part, where it begins, kind, value, number and stream.
#[derive(Default)]
struct Columns {
    places: Vec<u8>,
    starts: Vec<u8>,
    kinds: Vec<u8>,
    values: Vec<u8>,
    numbers: Vec<u8>,
    streams: Vec<u8>,
}

type Stretch<'py> = (usize, usize, usize, usize, [Bound<'py, PyBytes>; 6]);

#[pymethods]
impl Rows {
    /// What `Sieve.sift` told of `part`.
    #[new]
    fn new(
        part: Py<PyBytes>,
        codes: Py<PyBytes>,
        starts: Py<PyBytes>,
        shapes: Py<PyBytes>,
    ) -> Self {
        Self {
            part,
            codes,
            starts,
            shapes,
            plans: HashMap::new(),
            nobodys: HashSet::new(),
            quiet: HashSet::new(),
            streams: HashMap::new(),
            name: vec![],
        }
    }

    /// Lines of `shape` are rows of this `kind`, with numbers where they have any; `stream` names the stream of each.
    #[pyo3(signature = (shape, kind, value, number, stream))]
    fn learn(
        &mut self,
        shape: u16,
        kind: u16,
        value: Option<(usize, usize)>,
        number: Option<(usize, usize)>,
        stream: Vec<(usize, usize)>,
    ) {
        let plan = Plan {
            kind,
            value,
            number,
            stream,
        };
        self.plans.insert(shape, plan);
    }

    /// The rows from line `at` on. Among them may be blank lines and those of which `passed` (a byte for each code) says
    /// so; quiet ones unless all must be seen. Gives the line that is neither, how many were blank and how many passed, the last of these, and the columns.
    fn read<'py>(
        &mut self,
        py: Python<'py>,
        at: usize,
        passed: &[u8],
        all_seen: bool,
    ) -> Stretch<'py> {
        let [part, codes, starts, shapes] =
            [&self.part, &self.codes, &self.starts, &self.shapes].map(|each| each.clone_ref(py));
        let (part, codes) = (part.as_bytes(py), codes.as_bytes(py));
        let (starts, shapes) = (starts.as_bytes(py), shapes.as_bytes(py));
        let mut columns = Columns::default();
        let (mut end, mut blank, mut nobodys, mut last) = (at, 0, 0, 0);
        while end < codes.len() {
            match codes[end] {
                BLANK => blank += 1,
                ASK if self.is_nobodys(u16_at(shapes, end), all_seen) => {
                    nobodys += 1;
                    last = end;
                }
                ASK => {
                    let start = u32_at(starts, end);
                    let line = &part[start..u32_at(starts, end + 1)];
                    let Some(row) = self.row_of(u16_at(shapes, end), line) else {
                        break;
                    };
                    columns
                        .places
                        .extend_from_slice(&(end as u32).to_ne_bytes());
                    columns
                        .starts
                        .extend_from_slice(&(start as u32).to_ne_bytes());
                    columns.kinds.extend_from_slice(&row.0.to_ne_bytes());
                    columns.values.extend_from_slice(&row.1.to_ne_bytes());
                    columns.numbers.extend_from_slice(&row.2.to_ne_bytes());
                    columns.streams.extend_from_slice(&row.3.to_ne_bytes());
                }
                code if passed[code as usize] != 0 => {
                    nobodys += 1;
                    last = end;
                }
                _ => break,
            }
            end += 1;
        }
        let bytes = |column: &[u8]| PyBytes::new(py, column);
        let found = [
            bytes(&columns.places),
            bytes(&columns.starts),
            bytes(&columns.kinds),
            bytes(&columns.values),
            bytes(&columns.numbers),
            bytes(&columns.streams),
        ];
        (end, blank, nobodys, last, found)
    }

    /// Lines of `shape` are nobody's; `quiet` ones are seen by whoever must see all.
    fn pass_over(&mut self, shape: u16, quiet: bool) {
        let shapes = if quiet { &mut self.quiet } else { &mut self.nobodys };
        shapes.insert(shape);
    }

    /// The names of all streams that were met, by their numbers.
    fn streams(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.streams.len()];
        for (name, &number) in &self.streams {
            names[number as usize] = String::from_utf8_lossy(name).into_owned();
        }
        names
    }
}

impl Rows {
    fn is_nobodys(&self, shape: u16, all_seen: bool) -> bool {
        self.nobodys.contains(&shape) || (!all_seen && self.quiet.contains(&shape))
    }

    /// Kind, value, number and stream of a line; None where Python must look at it.
    fn row_of(&mut self, shape: u16, line: &[u8]) -> Option<(u16, f64, u64, u32)> {
        let plan = self.plans.get(&shape)?;
        let value = match plan.value {
            Some((start, end)) => value_of(&line[start..end])?,
            None => f64::NAN,
        };
        let number = match plan.number {
            Some((start, end)) => number_of(&line[start..end])?,
            None => NO_NUMBER,
        };
        self.name.clear();
        for (at, &(start, end)) in plan.stream.iter().enumerate() {
            if at > 0 {
                self.name.push(b' ');
            }
            self.name.extend_from_slice(&line[start..end]);
        }
        let stream = match self.streams.get(&self.name) {
            Some(&known) => known,
            None => {
                let fresh = self.streams.len() as u32;
                self.streams.insert(self.name.clone(), fresh);
                fresh
            }
        };
        Some((plan.kind, value, number, stream))
    }
}

/// `1,234.5`, as Python reads it; a zero is no pace.
fn value_of(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let value: f64 = match text.contains(',') {
        true => text.replace(',', "").parse().ok()?,
        false => text.parse().ok()?,
    };
    (value > 0.0 && value.is_finite()).then_some(value)
}

fn number_of(text: &[u8]) -> Option<u64> {
    let is_number =
        !text.is_empty() && text.len() <= MOST_DIGITS && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| {
        text.iter()
            .fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
    })
}

fn u32_at(column: &[u8], at: usize) -> usize {
    u32::from_ne_bytes(column[4 * at..4 * at + 4].try_into().expect("four bytes")) as usize
}

fn u16_at(column: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(column[2 * at..2 * at + 2].try_into().expect("two bytes"))
}
