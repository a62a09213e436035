//! NCCL's channel lines: a rank prints one text for each of its channels, and Python needs it once, taken apart, with a
//! count. So it does with lines of which nothing is read but that they are there.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::collections::{HashMap, HashSet};

const NAME: &[u8] = b" NCCL ";
const CHANNEL: &[u8] = b"INFO Channel ";
/// Bytes of a message by which quiet ones are told, as `fold._HEAD` in Python.
const HEAD: usize = 12;
const MOST_DIGITS: usize = 9;

/// Takes a text apart from its front.
struct Reader<'text> {
    text: &'text [u8],
    at: usize,
}

impl<'text> Reader<'text> {
    fn literal(&mut self, text: &[u8]) -> Option<()> {
        self.text[self.at..]
            .starts_with(text)
            .then(|| self.at += text.len())
    }

    fn while_(
        &mut self,
        least: usize,
        most: usize,
        wanted: fn(&u8) -> bool,
    ) -> Option<&'text [u8]> {
        let rest = &self.text[self.at..];
        let length = rest
            .iter()
            .position(|byte| !wanted(byte))
            .unwrap_or(rest.len());
        (least..=most).contains(&length).then(|| {
            self.at += length;
            &rest[..length]
        })
    }

    fn digits(&mut self, most: usize) -> Option<u32> {
        let digits = self.while_(1, most, u8::is_ascii_digit)?;
        Some(
            digits
                .iter()
                .fold(0, |number, digit| number * 10 + u32::from(digit - b'0')),
        )
    }

    /// `3[1b000]`
    fn rank(&mut self) -> Option<(u32, &'text [u8])> {
        let rank = self.digits(MOST_DIGITS)?;
        self.literal(b"[")?;
        let device = self.while_(0, usize::MAX, u8::is_ascii_alphanumeric)?;
        self.literal(b"]")?;
        Some((rank, device))
    }
}

/// The end of the library's own prefix, `host:pid:tid [device]`, where nothing else stands before it.
pub fn end_of_prefix(text: &[u8]) -> Option<usize> {
    let mut reader = Reader { text, at: 0 };
    if !text.first()?.is_ascii_alphabetic() {
        return None;
    }
    reader.while_(1, 63, |byte| {
        byte.is_ascii_alphanumeric() || b"_.-".contains(byte)
    })?;
    for _ in 0..2 {
        reader.literal(b":")?;
        reader.while_(1, 10, u8::is_ascii_digit)?;
    }
    if reader.literal(b" [").is_some() {
        reader.while_(1, 6, u8::is_ascii_digit)?;
        reader.literal(b"]")?;
    }
    text[reader.at..].starts_with(NAME).then_some(reader.at)
}

/// A channel line, taken apart as `channels.EDGE` in Python does; behind `via` nothing is read.
struct Line<'text> {
    number: &'text [u8],
    src: (u32, &'text [u8]),
    dst: (u32, &'text [u8]),
    side: Option<&'static str>,
    connection: Option<u32>,
    via: &'text [u8],
    /// It says the same as its values do, letter by letter.
    plain: bool,
}

fn read_line(message: &[u8]) -> Option<Line<'_>> {
    let mut reader = Reader {
        text: message,
        at: 0,
    };
    reader.literal(CHANNEL)?;
    let number = reader.while_(2, 3, u8::is_ascii_digit)?;
    let (at, mut plain) = (reader.at, true);
    let connection = match reader.literal(b"/") {
        Some(()) => Some(reader.digits(3)?),
        None => None,
    };
    plain &= connection.is_none() || !leads_with_zero(&message[at + 1..]);
    reader.literal(b" : ")?;
    plain &= !leads_with_zero(&message[reader.at..]);
    let src = reader.rank()?;
    reader.literal(b" -> ")?;
    plain &= !leads_with_zero(&message[reader.at..]);
    let dst = reader.rank()?;
    let side = if reader.literal(b" [send]").is_some() {
        Some("send")
    } else if reader.literal(b" [receive]").is_some() {
        Some("receive")
    } else {
        None
    };
    reader.literal(b" via ")?;
    let via = &message[reader.at..];
    (is_known(via) && memchr::memmem::find(via, b"CCL ").is_none()).then_some(Line {
        number,
        src,
        dst,
        side,
        connection,
        via,
        plain,
    })
}

/// Is it `007` rather than `7`? Its number alone does not tell how it was written.
fn leads_with_zero(text: &[u8]) -> bool {
    text.first() == Some(&b'0') && text.get(1).is_some_and(u8::is_ascii_digit)
}

/// Is it a transport that `channels.read_via` knows?
fn is_known(via: &[u8]) -> bool {
    let Some(net) = via.strip_prefix(b"NET/") else {
        return via.starts_with(b"P2P/") || via.starts_with(b"SHM");
    };
    let name = net.iter().position(|byte| *byte == b'/').unwrap_or(0);
    name > 0 && net.get(name + 1).is_some_and(u8::is_ascii_digit)
}

/// What a line of NCCL's is.
pub enum Kind {
    /// One that Python must look at.
    Any,
    /// The first that says so.
    First,
    /// It says what another did.
    Repeated,
}

/// Texts by number.
#[derive(Default)]
struct Texts {
    numbers: HashMap<Vec<u8>, u32>,
    all: Vec<Vec<u8>>,
}

impl Texts {
    fn number_of(&mut self, text: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.all.len() as u32;
        self.numbers.insert(text.to_vec(), number);
        self.all.push(text.to_vec());
        number
    }
}

/// Devices of both ranks, side, connection, and what stands behind `via`.
type Channel = (
    Py<PyString>,
    Py<PyString>,
    Option<&'static str>,
    Option<u32>,
    Py<PyString>,
);
#[derive(IntoPyObject)]
pub enum Told {
    Channel(Channel),
    /// How the line begins.
    Quiet(Py<PyString>),
}
/// Columns of numbers, and the texts that they speak of: `sifted_edges.SiftedEdges` in Python.
pub type Columns = (
    Vec<Py<PyBytes>>,
    Vec<Py<PyString>>,
    Vec<Told>,
    Vec<Py<PyString>>,
);
/// What all lines of a kind have in common; texts by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum OfKind {
    /// Devices, side, connection, and what stands behind `via`.
    Channel(u32, u32, Option<&'static str>, Option<u32>, u32),
    Quiet(u32),
}

/// The edges of a part; those that were met since the last line that may begin a document are known.
#[derive(Default)]
pub struct Edges {
    known: HashMap<Vec<u8>, usize>,
    key: Vec<u8>,
    columns: [Vec<u32>; 7],
    prefixes: Texts,
    numbers: Texts,
    texts: Texts,
    kinds: HashMap<OfKind, u32>,
    of_kinds: Vec<OfKind>,
}

const COUNT: usize = 1;

impl Edges {
    /// Takes line `number`, whose prefix ends at `prefix`. `quiet`: how lines begin of which nothing is read.
    pub fn take(
        &mut self,
        text: &[u8],
        prefix: usize,
        number: u32,
        quiet: &HashSet<Vec<u8>>,
    ) -> Kind {
        let message = &text[prefix + NAME.len()..];
        let Some(line) = read_line(message).filter(|line| line.plain) else {
            return self.take_quiet(text, prefix, number, quiet);
        };
        self.key.clear();
        self.key.extend_from_slice(&text[..prefix]);
        self.key
            .extend_from_slice(&message[CHANNEL.len() + line.number.len()..]);
        if let Some(&row) = self.known.get(&self.key) {
            self.columns[COUNT][row] += 1;
            return Kind::Repeated;
        }
        let row = self.columns[COUNT].len();
        self.known.insert(self.key.clone(), row);
        let of_kind = OfKind::Channel(
            self.texts.number_of(line.src.1),
            self.texts.number_of(line.dst.1),
            line.side,
            line.connection,
            self.texts.number_of(line.via),
        );
        let channel = self.numbers.number_of(line.number);
        let ends = [line.src.0, line.dst.0];
        self.add(of_kind, &text[..prefix], number, ends, channel);
        Kind::First
    }

    fn take_quiet(
        &mut self,
        text: &[u8],
        prefix: usize,
        number: u32,
        quiet: &HashSet<Vec<u8>>,
    ) -> Kind {
        let message = &text[prefix + NAME.len()..];
        let head = &message[..message.len().min(HEAD)];
        if !quiet.contains(head) || memchr::memmem::find(message, b"CCL ").is_some() {
            return Kind::Any;
        }
        self.key.clear();
        self.key.extend_from_slice(&text[..prefix]);
        self.key.push(b'\n');
        self.key.extend_from_slice(head);
        if let Some(&row) = self.known.get(&self.key) {
            self.columns[COUNT][row] += 1;
            return Kind::Repeated;
        }
        let row = self.columns[COUNT].len();
        self.known.insert(self.key.clone(), row);
        let of_kind = OfKind::Quiet(self.texts.number_of(head));
        self.add(of_kind, &text[..prefix], number, [0, 0], 0);
        Kind::First
    }

    fn add(&mut self, of_kind: OfKind, prefix: &[u8], number: u32, ends: [u32; 2], channel: u32) {
        let next = self.of_kinds.len() as u32;
        let kind = *self.kinds.entry(of_kind).or_insert(next);
        if kind == next {
            self.of_kinds.push(of_kind);
        }
        let prefix = self.prefixes.number_of(prefix);
        let row = [number, 1, ends[0], ends[1], prefix, kind, channel];
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }

    /// A document may begin here: what stands in it is no line.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// All edges, in order.
    pub fn told(&self, py: Python<'_>) -> Columns {
        let column = |numbers: &Vec<u32>| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|each| each.to_ne_bytes()).collect();
            PyBytes::new(py, &bytes).unbind()
        };
        let strings =
            |texts: &Texts| -> Vec<_> { texts.all.iter().map(|text| string(py, text)).collect() };
        let texts = strings(&self.texts);
        let text = |number: u32| texts[number as usize].clone_ref(py);
        let kinds = self.of_kinds.iter().map(|kind| match *kind {
            OfKind::Channel(src, dst, side, connection, via) => {
                Told::Channel((text(src), text(dst), side, connection, text(via)))
            }
            OfKind::Quiet(head) => Told::Quiet(text(head)),
        });
        (
            self.columns.iter().map(column).collect(),
            strings(&self.prefixes),
            kinds.collect(),
            strings(&self.numbers),
        )
    }
}

/// ASCII alone comes here.
fn string(py: Python<'_>, text: &[u8]) -> Py<PyString> {
    PyString::new(py, &String::from_utf8_lossy(text)).unbind()
}
