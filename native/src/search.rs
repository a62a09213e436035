//! All literals of all parsers in one automaton, and the gates behind them.

use crate::automaton::Texts;
use crate::forms::form_of;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use std::sync::OnceLock;

/// A set of parsers, by their numbers.
pub type Set = [u64; 4];
pub const MOST: usize = 256;
/// Bytes, longer than any literal at the beginning of a line.
const FRONT: usize = 120;
pub const NOBODY: Set = [0; 4];

pub fn single(number: usize) -> Set {
    let mut set = NOBODY;
    set[number / 64] = 1 << (number % 64);
    set
}

pub fn join(set: &mut Set, other: &Set) {
    for (own, more) in set.iter_mut().zip(other) {
        *own |= more;
    }
}

fn holds(set: &Set, number: usize) -> bool {
    set[number / 64] >> (number % 64) & 1 == 1
}

fn meet(one: &Set, other: &Set) -> bool {
    one.iter().zip(other).any(|(left, right)| left & right != 0)
}

/// An expression over bytes, without any script but ASCII.
pub fn expression(text: &str) -> Result<Regex, String> {
    Regex::builder()
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .configure(Regex::config().utf8_empty(false))
        .build(text)
        .map_err(|error| format!("{error}: {text}"))
}

/// An expression that is compiled when a line first asks for it: most are never needed.
pub struct Lazy {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    pub fn new(text: String) -> Self {
        Self {
            text,
            compiled: OnceLock::new(),
        }
    }

    /// One that cannot be compiled is found everywhere: then Python looks.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.compiled
            .get_or_init(|| expression(&self.text).ok())
            .as_ref()
            .is_none_or(|compiled| compiled.is_match(text))
    }
}

/// Open where, of one group, all expressions are found.
pub struct Gate {
    pub parser: usize,
    pub groups: Vec<Vec<Lazy>>,
}

impl Gate {
    fn is_open(&self, text: &[u8]) -> bool {
        self.groups
            .iter()
            .any(|group| group.iter().all(|each| each.is_match(text)))
    }
}

/// Which parsers may want a line.
pub struct Interest {
    pub as_written: Texts,
    pub folded: Texts,
    /// Those without literals.
    pub always: Set,
    /// Those without a gate.
    pub ungated: Set,
    /// Found in every line for which a gate of `at_start` stands open.
    pub any_at_start: Lazy,
    pub at_start: Gates,
    pub others: Gates,
}

/// The gates of these parsers.
#[derive(Default)]
pub struct Gates {
    parsers: Set,
    gates: Vec<Gate>,
}

impl Gates {
    pub fn add(&mut self, gate: Gate) {
        join(&mut self.parsers, &single(gate.parser));
        self.gates.push(gate);
    }

    /// Does a gate of one of these parsers stand open?
    fn any_open(&self, parsers: &Set, text: &[u8]) -> bool {
        self.gates
            .iter()
            .any(|gate| holds(parsers, gate.parser) && gate.is_open(text))
    }
}

impl Interest {
    /// May any parser want `text`, or what stands behind one of `ends` in it? `room` is to work in.
    pub fn any(&self, text: &[u8], ends: &[usize], room: &mut Room) -> bool {
        let mut held = self.always;
        room.edged.clear();
        form_of(text, &mut room.form);
        with_edges(&room.form, &mut room.edged);
        for &end in ends {
            // Whatever does not begin there was found in the whole.
            let front = &text[end..text.len().min(end + FRONT)];
            form_of(front, &mut room.form);
            with_edges(&room.form, &mut room.edged);
        }
        self.as_written.held_in(&room.edged, &mut held);
        if meet(&held, &self.ungated) {
            return true;
        }
        room.edged.make_ascii_lowercase();
        self.folded.held_in(&room.edged, &mut held);
        meet(&held, &self.ungated)
            || self.is_open(&held, text)
            || ends.iter().any(|&end| self.is_open(&held, &text[end..]))
    }

    fn is_open(&self, held: &Set, text: &[u8]) -> bool {
        self.others.any_open(held, text)
            || (meet(held, &self.at_start.parsers)
                && self.any_at_start.is_match(text)
                && self.at_start.any_open(held, text))
    }
}

/// Room to work in.
#[derive(Default)]
pub struct Room {
    form: Vec<u8>,
    edged: Vec<u8>,
}

/// As `literals._with_edges` in Python; a line has no blanks at its end.
fn with_edges(form: &[u8], edged: &mut Vec<u8>) {
    edged.push(b'\n');
    edged.extend_from_slice(form);
    edged.push(b'\n');
    let bare = form.trim_ascii_start();
    if bare.len() < form.len() {
        edged.extend_from_slice(bare);
        edged.extend_from_slice(b"\n ");
    }
}
