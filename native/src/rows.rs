//! Lines of which all is known by their shape: rows of numbers, and lines of which nobody takes anything. Python says how
//! all lines of one shape are read, and takes columns. `reading/rows/` is the other side of this.

use crate::columns::{Columns, Row, Run};
use crate::journal::host_of;
use crate::sieve::{BLANK, HOSTED, TAKEN};
use crate::streams::{Streams, NAMELESS};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::HashMap;

/// Of a row without a number of this kind.
const NO_NUMBER: u64 = u64::MAX;
/// Digits of a counter.
const MOST_DIGITS: usize = 10;

/// What a line is to the greedy parsers of its stream; `row_plans.Hearing` has the same.
#[derive(Clone, Copy, PartialEq)]
enum Hearing {
    /// Somebody takes it who is never greedy.
    Row,
    /// Somebody may take it who goes on with what follows.
    Begins,
    /// Those who want it take nothing of it, and none of them is ever greedy.
    Quiet,
    /// Nobody wants it.
    Unwanted,
    /// A record whose text nobody wants.
    Record,
}

impl Hearing {
    fn of(number: u8) -> Option<Self> {
        use Hearing::{Begins, Quiet, Record, Row, Unwanted};
        [Row, Begins, Quiet, Unwanted, Record]
            .get(usize::from(number))
            .copied()
    }
}

/// How lines of one shape are read.
struct Plan {
    kind: u16,
    hearing: Hearing,
    /// Is each of them to be looked at by parsers?
    each: bool,
    /// Is the line a value of JSON?
    json: bool,
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
    streams: Streams,
    name: Vec<u8>,
}

type Stretch<'py> = (usize, usize, usize, Vec<(String, u32)>, Vec<Run<'py>>);

#[pymethods]
impl Rows {
    /// What `Sieve.sift` told of `part`; `after` as `heard.Heard` has it, and is nothing before this part?
    #[new]
    fn new(
        part: Py<PyBytes>,
        codes: Py<PyBytes>,
        starts: Py<PyBytes>,
        shapes: Py<PyBytes>,
        after: i64,
        is_first: bool,
    ) -> Self {
        Self {
            part,
            codes,
            starts,
            shapes,
            plans: HashMap::new(),
            streams: Streams::new(after, is_first),
            name: vec![],
        }
    }

    /// Lines of `shape` are of this `kind`, with numbers where they have any; `stream` names the stream of each.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (shape, kind, hearing, each, json, value, number, stream))]
    fn learn(
        &mut self,
        shape: u16,
        kind: u16,
        hearing: u8,
        each: bool,
        json: bool,
        value: Option<(usize, usize)>,
        number: Option<(usize, usize)>,
        stream: Vec<(usize, usize)>,
    ) -> PyResult<()> {
        let hearing = Hearing::of(hearing).ok_or_else(|| PyValueError::new_err(hearing))?;
        let plan = Plan {
            kind,
            hearing,
            each,
            json,
            value,
            number,
            stream,
        };
        self.plans.insert(shape, plan);
        Ok(())
    }

    /// The lines from line `at` on that are read as their shapes are, with blank ones among them, and those of which
    /// `passed` (a byte for each code) says so. Gives the line that is neither; how many were blank, and how many are
    /// nobody's; the streams of these, with the last of each; and the rows of each stream. Either all rows that somebody
    /// wants are to be looked at each, or none of them.
    fn read<'py>(&mut self, py: Python<'py>, at: usize, passed: &[u8]) -> Stretch<'py> {
        let [part, codes, starts, shapes] =
            [&self.part, &self.codes, &self.starts, &self.shapes].map(|each| each.clone_ref(py));
        let (part, codes) = (part.as_bytes(py), codes.as_bytes(py));
        let (starts, shapes) = (starts.as_bytes(py), shapes.as_bytes(py));
        let mut runs = Runs::default();
        let (mut end, mut blank, mut nobodys) = (at, 0, 0);
        let mut of_each = None;
        while end < codes.len() {
            let code = codes[end];
            if code == BLANK {
                blank += 1;
                end += 1;
                continue;
            }
            let start = u32_at(starts, end);
            let place = (end as u32, start as u32);
            // Behind a last line without a line break the next one would begin one byte beyond the end.
            let line = &part[start..u32_at(starts, end + 1).min(part.len())];
            let Some(plan) = self.plans.get(&u16_at(shapes, end)) else {
                if code == HOSTED && passed[code as usize] != 0 {
                    let stream = self.streams.number_of(host_of(line));
                    if self.streams.goes_on(stream) {
                        break;
                    }
                    self.streams.pass(stream, place);
                    nobodys += 1;
                    end += 1;
                    continue;
                }
                let passes = code > TAKEN && code != HOSTED && passed[code as usize] != 0;
                if !passes || self.streams.goes_on(NAMELESS) {
                    break;
                }
                self.streams.pass(NAMELESS, place);
                nobodys += 1;
                end += 1;
                continue;
            };
            if plan.json && !has_numbers_of_json(line) {
                break;
            }
            if matches!(plan.hearing, Hearing::Row | Hearing::Begins)
                && *of_each.get_or_insert(plan.each) != plan.each
            {
                break;
            }
            let Some((value, number)) = plan.numbers_of(line) else {
                break;
            };
            let stream = match plan.stream.as_slice() {
                [] => NAMELESS,
                parts => {
                    name_of(parts, line, &mut self.name);
                    self.streams.number_of(&self.name)
                }
            };
            let kept = match plan.hearing {
                Hearing::Row => true,
                Hearing::Begins => {
                    self.streams.begin(stream);
                    true
                }
                Hearing::Quiet => self.streams.hears(stream, true),
                Hearing::Unwanted => self.streams.hears(stream, false),
                Hearing::Record if self.streams.goes_on(stream) => break,
                Hearing::Record => false,
            };
            if kept {
                let row = Row {
                    place: place.0,
                    start: place.1,
                    kind: plan.kind,
                    value,
                    number,
                };
                runs.of(stream).push(&row, self.streams.passed(stream));
            } else {
                self.streams.pass(stream, place);
                nobodys += 1;
            }
            end += 1;
        }
        (
            end,
            blank,
            nobodys,
            self.streams.all_passed(),
            runs.all(py, &self.streams),
        )
    }

    /// As `heard.Heard` does.
    fn goes_on(&self) -> bool {
        self.streams.goes_on(NAMELESS)
    }

    fn begin(&mut self, stream: &[u8]) {
        let stream = self.streams.number_of(stream);
        self.streams.begin(stream);
    }

    fn hears(&mut self, stream: &[u8], quiet: bool) -> bool {
        let stream = self.streams.number_of(stream);
        self.streams.hears(stream, quiet)
    }
}

/// The rows of each stream, in the order in which these came.
#[derive(Default)]
struct Runs {
    places: HashMap<u32, usize>,
    each: Vec<(u32, Columns)>,
    last: usize,
}

impl Runs {
    fn of(&mut self, stream: u32) -> &mut Columns {
        if self
            .each
            .get(self.last)
            .is_none_or(|(last, _)| *last != stream)
        {
            let fresh = self.each.len();
            self.last = *self.places.entry(stream).or_insert(fresh);
            if self.last == fresh {
                self.each.push((stream, Columns::default()));
            }
        }
        &mut self.each[self.last].1
    }

    fn all<'py>(self, py: Python<'py>, streams: &Streams) -> Vec<Run<'py>> {
        let each = self.each.into_iter();
        each.map(|(stream, columns)| columns.into_run(py, streams.name(stream)))
            .collect()
    }
}

impl Plan {
    /// Value and number of a line; None where Python must look at it.
    fn numbers_of(&self, line: &[u8]) -> Option<(f64, u64)> {
        let value = match self.value {
            Some((start, end)) => value_of(&line[start..end])?,
            None => f64::NAN,
        };
        let number = match self.number {
            Some((start, end)) => number_of(&line[start..end])?,
            None => NO_NUMBER,
        };
        Some((value, number))
    }
}

fn name_of(parts: &[(usize, usize)], line: &[u8], name: &mut Vec<u8>) {
    name.clear();
    for (at, &(start, end)) in parts.iter().enumerate() {
        if at > 0 {
            name.push(b' ');
        }
        name.extend_from_slice(&line[start..end]);
    }
}

/// Does no number outside of strings begin with a nought that is not all of it? Of a line without escapes.
fn has_numbers_of_json(line: &[u8]) -> bool {
    let (mut in_string, mut in_number) = (false, false);
    for (at, &byte) in line.iter().enumerate() {
        match byte {
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'0' if !in_number => {
                if line.get(at + 1).is_some_and(u8::is_ascii_digit) {
                    return false;
                }
                in_number = true;
                continue;
            }
            _ => {}
        }
        in_number =
            !in_string && (byte.is_ascii_digit() || (in_number && b".eE+-".contains(&byte)));
    }
    true
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
