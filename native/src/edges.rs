//! NCCL's channel lines: a rank prints one text for each of its channels, and Python needs it once, taken apart, with a
//! count. So it does with lines of which nothing is read but that they are there.

use crate::hashing::Map;
use crate::table::{EdgeTable, Texts};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashSet;

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
/// What all lines of a kind have in common; texts by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum OfKind {
    /// Devices, side, connection, and what stands behind `via`.
    Channel(u32, u32, Option<&'static str>, Option<u32>, u32),
    Quiet(u32),
}

/// The kinds of lines and the numbers of channels that were met, in all parts that go into one table.
#[derive(Default)]
pub struct Found {
    numbers: Texts,
    texts: Texts,
    kinds: Map<OfKind, u32>,
    of_kinds: Vec<OfKind>,
}

impl Found {
    /// The number of a channel, as printed.
    pub fn number(&self, number: u32) -> &[u8] {
        self.numbers.text(number)
    }

    /// How lines of this kind begin, of which nothing is read.
    fn quiet(&self, kind: u32) -> Option<&[u8]> {
        match self.of_kinds[kind as usize] {
            OfKind::Quiet(head) => Some(self.texts.text(head)),
            OfKind::Channel(..) => None,
        }
    }

    /// The kinds from this one on.
    pub fn told(&self, py: Python<'_>, from: usize) -> Vec<Told> {
        let text = |number: u32| string(py, self.texts.text(number));
        let kinds = self.of_kinds[from..].iter().map(|kind| match *kind {
            OfKind::Channel(src, dst, side, connection, via) => {
                Told::Channel((text(src), text(dst), side, connection, text(via)))
            }
            OfKind::Quiet(head) => Told::Quiet(text(head)),
        });
        kinds.collect()
    }

    fn kind_of(&mut self, of_kind: OfKind) -> u32 {
        let next = self.of_kinds.len() as u32;
        let kind = *self.kinds.entry(of_kind).or_insert(next);
        if kind == next {
            self.of_kinds.push(of_kind);
        }
        kind
    }
}

/// A line that says something new, and how many of the part say the same. Numbers are those of a table.
struct Row {
    place: u32,
    lines: u32,
    ends: [u32; 2],
    owner: u32,
    kind: u32,
    number: u32,
}

/// NCCL's lines of one part, in order; those that were met since the last line that may begin a document are known.
#[pyclass]
#[derive(Default)]
pub struct Edges {
    known: Map<Vec<u8>, usize>,
    key: Vec<u8>,
    rows: Vec<Row>,
}

impl Edges {
    /// Looks at line `number`, whose prefix ends at `prefix`. `quiet`: how lines begin of which nothing is read.
    pub fn see(
        &mut self,
        text: &[u8],
        prefix: usize,
        number: u32,
        quiet: &HashSet<Vec<u8>>,
        table: &mut EdgeTable,
    ) -> Kind {
        let message = &text[prefix + NAME.len()..];
        let Some(line) = read_line(message).filter(|line| line.plain) else {
            return self.see_quiet(text, prefix, number, quiet, table);
        };
        self.key.clear();
        self.key.extend_from_slice(&text[..prefix]);
        self.key
            .extend_from_slice(&message[CHANNEL.len() + line.number.len()..]);
        if self.is_known() {
            return Kind::Repeated;
        }
        let found = &mut table.found;
        let of_kind = OfKind::Channel(
            found.texts.number_of(line.src.1),
            found.texts.number_of(line.dst.1),
            line.side,
            line.connection,
            found.texts.number_of(line.via),
        );
        self.rows.push(Row {
            place: number,
            lines: 1,
            ends: [line.src.0, line.dst.0],
            kind: found.kind_of(of_kind),
            number: found.numbers.number_of(line.number),
            owner: table.owners.number_of(&text[..prefix]),
        });
        Kind::First
    }

    fn see_quiet(
        &mut self,
        text: &[u8],
        prefix: usize,
        number: u32,
        quiet: &HashSet<Vec<u8>>,
        table: &mut EdgeTable,
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
        if self.is_known() {
            return Kind::Repeated;
        }
        let head = table.found.texts.number_of(head);
        self.rows.push(Row {
            place: number,
            lines: 1,
            ends: [0, 0],
            kind: table.found.kind_of(OfKind::Quiet(head)),
            number: 0,
            owner: table.owners.number_of(&text[..prefix]),
        });
        Kind::First
    }

    /// Counts the line of `key` where it says what another did; else it is the next row.
    fn is_known(&mut self) -> bool {
        let next = self.rows.len();
        if let Some(&row) = self.known.get(&self.key) {
            self.rows[row].lines += 1;
            return true;
        }
        self.known.insert(self.key.clone(), next);
        false
    }

    /// A document may begin here: what stands in it is no line.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// All lines were seen.
    pub fn end(&mut self) {
        self.known = Map::default();
    }

    fn between(&self, start: u32, end: u32) -> &[Row] {
        let from = self.rows.partition_point(|row| row.place < start);
        let to = self.rows.partition_point(|row| row.place < end);
        &self.rows[from..to.max(from)]
    }
}

#[pymethods]
impl Edges {
    /// How many lines at these places (the end is not among them) say something new.
    fn count(&self, places: (u32, u32)) -> usize {
        self.between(places.0, places.1).len()
    }

    /// The first of these places at which a line says something new.
    fn first(&self, places: (u32, u32)) -> u32 {
        self.between(places.0, places.1)
            .first()
            .map_or(places.0, |row| row.place)
    }

    /// Takes them, and those that repeat them, into the table. `line`: that of the part's first. `most_owners`: so many
    /// are told apart. Says how many lines they are, and of those of which nothing is read, how they begin.
    fn take(
        &self,
        py: Python<'_>,
        table: &mut EdgeTable,
        places: (u32, u32),
        line: i64,
        most_owners: usize,
    ) -> (i64, Vec<(Py<PyString>, i64)>) {
        let mut quiet: Map<u32, i64> = Map::default();
        let mut lines = 0;
        for row in self.between(places.0, places.1) {
            let (at, count) = (line + i64::from(row.place), i64::from(row.lines));
            let owner = table.admit(row.owner, at, most_owners);
            if table.quiet_of(row.kind) {
                *quiet.entry(row.kind).or_default() += count;
            } else {
                table.take(owner, row.ends, row.kind, row.number, at, count);
            }
            lines += count;
        }
        let head = |kind| string(py, table.found.quiet(kind).unwrap_or_default());
        let quiet = quiet.iter().map(|(kind, lines)| (head(*kind), *lines));
        (lines, quiet.collect())
    }
}

/// ASCII alone comes here.
fn string(py: Python<'_>, text: &[u8]) -> Py<PyString> {
    PyString::new(py, &String::from_utf8_lossy(text)).unbind()
}
