//! Tells of each line of a part whether Python must look at it.

use crate::automaton::Texts;
use crate::edges::{end_of_prefix, Edges, Kind};
use crate::forms::shape_of;
use crate::hashing::Map;
use crate::journal::Journal;
use crate::leads::Leads;
use crate::search::{
    self, expression, join, single, Gate, Gates, Interest, Lazy, Set, MOST, NOBODY,
};
use crate::table::EdgeTable;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};
use std::collections::{HashMap, HashSet};

/// What becomes of a line, one byte each; `reading/sieve.py` has the same.
pub const BLANK: u8 = 0;
pub const ASK: u8 = 1;
const REPEATED: u8 = 2;
pub const TAKEN: u8 = 3;
const FIRST_SHAPE: u8 = 4;
/// It is nobody's, behind the stamp and the host that syslog and the journal print.
pub const HOSTED: u8 = 254;
const OTHER_SHAPE: u8 = 255;
/// A longer line is Python's.
const LONGEST: usize = 4000;
/// So much of a line tells its shape.
const OF_SHAPE: usize = 400;
/// A line up to this length may be a row of numbers.
const LONGEST_ROW: usize = 1000;
/// Shapes of a part that are remembered; `NO_SHAPE` is none of them.
const MOST_SHAPES: u16 = 1 << 12;
/// So many lines tell whether shapes come again.
const MANY: usize = 500;
pub const NO_SHAPE: u16 = 0;

type Sifted<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Edges,
    Bound<'py, PyBytes>,
);
type Declared = (Option<Vec<Vec<u8>>>, bool, Vec<Vec<String>>);

#[pyclass(frozen)]
pub struct Sieve {
    interest: Interest,
    stamp: Regex,
    prefixes: Regex,
    behind_stamp: Regex,
    journal: Journal,
    leads: Leads,
    quiet: HashSet<Vec<u8>>,
    indent: Vec<u8>,
}

/// Room to work in, for one part.
#[derive(Default)]
struct Room {
    search: search::Room,
    shape: Vec<u8>,
    shapes: Map<Vec<u8>, u8>,
    whole: Vec<u8>,
    /// What became of whole lines, by their shapes: the code, the number of the shape, and may a document begin there.
    known: Map<Vec<u8>, (u8, u16, bool)>,
    /// Lines with a shape that was known, and with one that was not.
    repeated: usize,
    fresh: usize,
    edges: Edges,
}

impl Room {
    /// Is it a text of ever new words, whose shapes are not worth their memory?
    fn never_repeats(&self) -> bool {
        self.fresh > MANY && self.repeated * 8 < self.fresh
    }
}

#[pymethods]
impl Sieve {
    /// `parsers`: literals (or None), whether they are in small letters, and the gate of each. `stamp` is an expression
    /// for the one prefix that is known here; `prefixes` is found in each line that may have another or begin a JSON
    /// value, and `behind_stamp` in each text that may do so behind a stamp. `journal`: as `Journal` has it. `leads`: what parts a logger's lead from a
    /// stamp before it, one step of such a lead, and a host's name.
    /// `quiet`: how lines of NCCL's begin of which nothing is read. `indent`: what somebody put before each line.
    #[new]
    fn new(
        parsers: Vec<Declared>,
        stamp: &str,
        prefixes: &str,
        behind_stamp: &str,
        journal: (&str, &str, &str, &str),
        leads: (&str, &str, &str),
        quiet: HashSet<Vec<u8>>,
        indent: Vec<u8>,
    ) -> PyResult<Self> {
        let build = move || -> Result<Self, String> {
            Ok(Self {
                interest: interest_of(parsers)?,
                stamp: expression(stamp)?,
                prefixes: expression(prefixes)?,
                behind_stamp: expression(behind_stamp)?,
                journal: Journal::new(journal)?,
                leads: Leads::new(leads)?,
                quiet,
                indent,
            })
        };
        build().map_err(PyValueError::new_err)
    }

    /// For the lines of `part`: a byte each that says what becomes of it, and where each begins, with the end of the
    /// last (32 bits each, in the order of this machine); NCCL's lines, taken apart, for this table; and the number of
    /// each line's shape (16 bits), where it is known.
    fn sift<'py>(&self, py: Python<'py>, part: &[u8], table: &mut EdgeTable) -> Sifted<'py> {
        let mut room = Room::default();
        let (mut codes, mut starts, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        while start < part.len() {
            let end = memchr::memchr(b'\n', &part[start..]).map_or(part.len(), |at| start + at);
            let (code, shape) =
                self.code_of(&part[start..end], codes.len() as u32, &mut room, table);
            codes.push(code);
            shapes.extend_from_slice(&shape.to_ne_bytes());
            starts.extend_from_slice(&(start as u32).to_ne_bytes());
            start = end + 1;
        }
        starts.extend_from_slice(&(start as u32).to_ne_bytes());
        room.edges.end();
        let bytes = |column: &[u8]| PyBytes::new(py, column);
        (bytes(&codes), bytes(&starts), room.edges, bytes(&shapes))
    }
}

impl Sieve {
    /// What becomes of a line, and the number of its shape.
    fn code_of(
        &self,
        line: &[u8],
        number: u32,
        room: &mut Room,
        table: &mut EdgeTable,
    ) -> (u8, u16) {
        let length = line
            .iter()
            .rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
            .map_or(0, |at| at + 1);
        let line = &line[..length];
        if line.is_empty() {
            return (BLANK, NO_SHAPE);
        }
        if line.len() > LONGEST || !is_plain(line) {
            room.edges.forget();
            return (ASK, self.shape_of_odd(line, room));
        }
        if names_nccl(line) {
            return (self.code_of_nccl(line, number, room, table), NO_SHAPE);
        }
        if line.len() > LONGEST_ROW || room.never_repeats() {
            return (self.code_of_text(line, room).0, NO_SHAPE);
        }
        shape_of(line, &mut room.whole);
        if let Some(&(code, shape, opens)) = room.known.get(&room.whole) {
            if opens {
                room.edges.forget();
            }
            room.repeated += 1;
            return (code, shape);
        }
        room.fresh += 1;
        let (code, opens) = self.code_of_text(line, room);
        let next = room.known.len() as u16 + 1;
        if next >= MOST_SHAPES {
            return (code, NO_SHAPE);
        }
        room.known.insert(room.whole.clone(), (code, next, opens));
        (code, next)
    }

    /// The number of the shape of a line with other letters or with colours: only Python can tell more of it.
    fn shape_of_odd(&self, line: &[u8], room: &mut Room) -> u16 {
        let is_text = |byte: &u8| matches!(byte, b'\t' | 0x1b | 0x20..=0x7e | 0x80..);
        if line.len() > LONGEST_ROW
            || room.never_repeats()
            || names_nccl(line)
            || !line.iter().all(is_text)
            || std::str::from_utf8(line).is_err()
        {
            return NO_SHAPE;
        }
        shape_of(line, &mut room.whole);
        if let Some(&(_, shape, _)) = room.known.get(&room.whole) {
            room.repeated += 1;
            return shape;
        }
        room.fresh += 1;
        let next = room.known.len() as u16 + 1;
        if next >= MOST_SHAPES {
            return NO_SHAPE;
        }
        room.known.insert(room.whole.clone(), (ASK, next, true));
        next
    }

    /// What becomes of a line that is not NCCL's, and whether a document may begin there.
    fn code_of_text(&self, line: &[u8], room: &mut Room) -> (u8, bool) {
        let Some(text) = self.behind_prefix(line) else {
            room.edges.forget();
            let nobodys = self
                .behind_host(line)
                .is_some_and(|text| !self.is_wanted(text, room));
            return (if nobodys { HOSTED } else { ASK }, true);
        };
        (self.code_behind_prefix(text, room), false)
    }

    /// The line's own text behind a stamp and a host; None where that is not all that stands before it.
    fn behind_host<'line>(&self, line: &'line [u8]) -> Option<&'line [u8]> {
        let line = line.strip_prefix(self.indent.as_slice()).unwrap_or(line);
        let text = &line[self.journal.end_of(line)?..];
        (!text.is_empty() && !self.behind_stamp.is_match(text)).then_some(text)
    }

    fn is_wanted(&self, text: &[u8], room: &mut Room) -> bool {
        if quotes_lines(text) {
            return true;
        }
        let ends = self.leads.ends_in(text);
        ends.iter().any(|end| opens_json(&text[*end..]))
            || self.interest.any(text, &ends, &mut room.search)
    }

    fn code_behind_prefix(&self, text: &[u8], room: &mut Room) -> u8 {
        shape_of(&text[..text.len().min(OF_SHAPE)], &mut room.shape);
        let known = room.shapes.get(&room.shape).copied();
        if let (Some(known), true) = (known, text.len() <= OF_SHAPE) {
            return known;
        }
        if self.is_wanted(text, room) {
            return ASK;
        }
        if let Some(known) = known {
            return known;
        }
        if room.shapes.len() + FIRST_SHAPE as usize >= HOSTED as usize {
            return OTHER_SHAPE;
        }
        let code = FIRST_SHAPE + room.shapes.len() as u8;
        room.shapes.insert(room.shape.clone(), code);
        code
    }

    fn code_of_nccl(&self, line: &[u8], number: u32, room: &mut Room, table: &mut EdgeTable) -> u8 {
        let text = &line[self.stamp_of(line)..];
        let Some(prefix) = end_of_prefix(text) else {
            room.edges.forget();
            return ASK;
        };
        match room.edges.see(text, prefix, number, &self.quiet, table) {
            Kind::Any => ASK,
            Kind::First => TAKEN,
            Kind::Repeated => REPEATED,
        }
    }

    /// The line's own text; None where only Python can tell.
    fn behind_prefix<'line>(&self, line: &'line [u8]) -> Option<&'line [u8]> {
        let line = line.strip_prefix(self.indent.as_slice()).unwrap_or(line);
        let text = &line[self.stamp_of(line)..];
        let prefixes = if text.len() < line.len() {
            &self.behind_stamp
        } else {
            &self.prefixes
        };
        (!text.is_empty() && !prefixes.is_match(text)).then_some(text)
    }

    /// The length of the stamp that `line` begins with.
    fn stamp_of(&self, line: &[u8]) -> usize {
        let stamped = matches!(line.first(), Some(b'0'..=b'9' | b'['))
            .then(|| self.stamp.search(&Input::new(line).anchored(Anchored::Yes)))
            .flatten();
        stamped.map_or(0, |stamp| stamp.end())
    }
}

/// May a line of NCCL's, RCCL's or MCCL's own stand in it? Without a blank before it, the name is a word of others.
fn names_nccl(line: &[u8]) -> bool {
    memchr::memmem::find_iter(line, b"CCL ")
        .any(|at| at >= 2 && line[at - 2] == b' ' && b"NMR".contains(&line[at - 1]))
}

/// Does it hold a text of several lines, with `\\n` for their ends?
fn quotes_lines(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"\\n").nth(1).is_some()
}

/// May a JSON value begin here? Says no only where `json_blocks.OPENS` does.
fn opens_json(text: &[u8]) -> bool {
    let mut marks = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    match marks.next() {
        Some(b'{') => matches!(marks.next(), None | Some(b'"' | b'}')),
        Some(b'[') => matches!(marks.next(), None | Some(b'"' | b'{' | b'[')),
        _ => false,
    }
}

/// Only printable ASCII and tabs.
fn is_plain(line: &[u8]) -> bool {
    !line.iter().fold(false, |odd, byte| {
        odd | (*byte != b'\t' && !(0x20..0x7f).contains(byte))
    })
}

fn interest_of(parsers: Vec<Declared>) -> Result<Interest, String> {
    if parsers.len() > MOST {
        return Err(format!("more than {MOST} parsers"));
    }
    let mut texts: [HashMap<Vec<u8>, Set>; 2] = Default::default();
    let (mut always, mut ungated) = (NOBODY, NOBODY);
    let (mut at_start, mut others, mut starts) = (Gates::default(), Gates::default(), vec![]);
    for (number, (literals, folded, gate)) in parsers.into_iter().enumerate() {
        match literals {
            None => join(&mut always, &single(number)),
            Some(found) => {
                for text in found {
                    join(
                        texts[folded as usize].entry(text).or_insert(NOBODY),
                        &single(number),
                    );
                }
            }
        }
        if gate.is_empty() {
            join(&mut ungated, &single(number));
            continue;
        }
        let groups = gate
            .iter()
            .map(|group| group.iter().cloned().map(Lazy::new).collect());
        let made = Gate {
            parser: number,
            groups: groups.collect(),
        };
        if gate.iter().all(|group| group[0].starts_with('^')) {
            starts.extend(gate.into_iter().map(|mut group| group.swap_remove(0)));
            at_start.add(made);
        } else {
            others.add(made);
        }
    }
    let [as_written, folded] = texts.map(|found| Texts::new(found.into_iter().collect()));
    let any_at_start = Lazy::new(starts.join("|"));
    Ok(Interest {
        as_written,
        folded,
        always,
        ungated,
        any_at_start,
        at_start,
        others,
    })
}
