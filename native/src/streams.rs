//! What is known of each stream of one part: how many lines are left to be heard in it, as `reading/rows/heard.py` says it
//! too, and which of its lines was passed over last.

use crate::hashing::Map;

/// The stream of lines that name none.
pub const NAMELESS: u32 = 0;
/// As in Python.
const PATIENCE: u32 = 64;

/// A line that was passed over: its place in the part, and where it begins.
pub type Passed = (u32, u32);

#[derive(Default)]
struct Stream {
    name: Vec<u8>,
    left: Option<i64>,
    waited: u32,
    passed: Option<Passed>,
}

pub struct Streams {
    after: i64,
    at_begin: i64,
    numbers: Map<Vec<u8>, u32>,
    each: Vec<Stream>,
    /// Those in which a line was passed over in this stretch.
    touched: Vec<u32>,
}

impl Streams {
    pub fn new(after: i64, is_first: bool) -> Self {
        let mut streams = Self {
            after,
            at_begin: if is_first { 0 } else { after },
            numbers: Map::default(),
            each: vec![],
            touched: vec![],
        };
        streams.number_of(b"");
        streams
    }

    pub fn number_of(&mut self, name: &[u8]) -> u32 {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let fresh = self.each.len() as u32;
        self.numbers.insert(name.to_vec(), fresh);
        self.each.push(Stream {
            name: name.to_vec(),
            ..Stream::default()
        });
        fresh
    }

    /// Is any line heard in it, whoever wants it?
    pub fn goes_on(&self, stream: u32) -> bool {
        self.each[stream as usize].left.unwrap_or(self.at_begin) > 0
    }

    /// A line is wanted by somebody who may go on with what follows.
    pub fn begin(&mut self, stream: u32) {
        self.each[stream as usize].left = Some(self.after);
    }

    /// Is a line heard that nobody wants?
    pub fn hears(&mut self, stream: u32, quiet: bool) -> bool {
        let (at_begin, own) = (self.at_begin, &mut self.each[stream as usize]);
        match (own.left, quiet) {
            (Some(left), true) => left > 0,
            (None, true) => {
                own.waited += 1;
                if own.waited >= PATIENCE {
                    own.left = Some(0);
                }
                at_begin > 0
            }
            (left, false) => {
                let left = left.unwrap_or(at_begin) - 1;
                if left >= 0 {
                    own.left = Some(left);
                }
                left >= 0
            }
        }
    }

    pub fn pass(&mut self, stream: u32, line: Passed) {
        let own = &mut self.each[stream as usize];
        if own.passed.is_none() {
            self.touched.push(stream);
        }
        own.passed = Some(line);
    }

    pub fn passed(&self, stream: u32) -> Option<Passed> {
        self.each[stream as usize].passed
    }

    /// The streams in which lines were passed over since this was asked before, with the place of the last of each.
    pub fn all_passed(&mut self) -> Vec<(String, u32)> {
        let touched = std::mem::take(&mut self.touched);
        let mut found = vec![];
        for stream in touched {
            if let Some((place, _)) = self.each[stream as usize].passed.take() {
                found.push((self.name(stream), place));
            }
        }
        found
    }

    pub fn name(&self, stream: u32) -> String {
        String::from_utf8_lossy(&self.each[stream as usize].name).into_owned()
    }
}
