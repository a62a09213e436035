//! NCCL's channel lines: a rank prints one text for each of its channels, and Python needs it once, taken apart, with a
//! count.

use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::HashMap;

/// `INFO Channel 00`: what stands before it differs by thread, what stands behind it by edge.
const NUMBERED: usize = b"INFO Channel 00".len();
const NAME: &[u8] = b" NCCL ";
const CHANNEL: &[u8] = b"INFO Channel ";
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
    src: (u32, &'text [u8]),
    dst: (u32, &'text [u8]),
    side: Option<&'static str>,
    connection: Option<u32>,
    via: &'text [u8],
}

fn read_line(message: &[u8]) -> Option<Line<'_>> {
    let mut reader = Reader {
        text: message,
        at: 0,
    };
    reader.literal(CHANNEL)?;
    reader.while_(2, 3, u8::is_ascii_digit)?;
    let connection = match reader.literal(b"/") {
        Some(()) => Some(reader.digits(3)?),
        None => None,
    };
    reader.literal(b" : ")?;
    let src = reader.rank()?;
    reader.literal(b" -> ")?;
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
        src,
        dst,
        side,
        connection,
        via,
    })
}

/// Is it a transport that `channels.read_via` knows?
fn is_known(via: &[u8]) -> bool {
    let Some(net) = via.strip_prefix(b"NET/") else {
        return via.starts_with(b"P2P/") || via.starts_with(b"SHM");
    };
    let name = net.iter().position(|byte| *byte == b'/').unwrap_or(0);
    name > 0 && net.get(name + 1).is_some_and(u8::is_ascii_digit)
}

/// An edge for Python: number of its first line, how many lines there are, prefix, key, text, and its values.
type Told = (u32, u32, Py<PyString>, Py<PyString>, Py<PyString>, Values);
type Values = (
    u32,
    u32,
    Py<PyString>,
    Py<PyString>,
    Option<&'static str>,
    Option<u32>,
    Py<PyString>,
);

struct Edge {
    number: u32,
    count: u32,
    text: Vec<u8>,
    prefix: usize,
}

/// What a line of NCCL's is.
pub enum Kind {
    /// One that Python must look at.
    Any,
    /// The first of an edge.
    First,
    /// It repeats an edge.
    Repeated,
}

/// The edges of a part; those that were met since the last line that may begin a document are known.
#[derive(Default)]
pub struct Edges {
    known: HashMap<Vec<u8>, usize>,
    key: Vec<u8>,
    found: Vec<Edge>,
}

impl Edges {
    /// Takes line `number`, whose prefix ends at `prefix`.
    pub fn take(&mut self, text: &[u8], prefix: usize, number: u32) -> Kind {
        let message = &text[prefix + NAME.len()..];
        if read_line(message).is_none() {
            return Kind::Any;
        }
        self.key.clear();
        self.key.extend_from_slice(&text[..prefix]);
        self.key.extend_from_slice(&message[NUMBERED..]);
        if let Some(&place) = self.known.get(&self.key) {
            self.found[place].count += 1;
            return Kind::Repeated;
        }
        self.known.insert(self.key.clone(), self.found.len());
        self.found.push(Edge {
            number,
            count: 1,
            text: text.to_vec(),
            prefix,
        });
        Kind::First
    }

    /// A document may begin here: what stands in it is no line.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// All edges, in order.
    pub fn told(&self, py: Python<'_>) -> Vec<Told> {
        let mut texts = HashMap::new();
        self.found
            .iter()
            .filter_map(|edge| edge.told(py, &mut texts))
            .collect()
    }
}

impl Edge {
    fn told<'edge>(
        &'edge self,
        py: Python<'_>,
        texts: &mut HashMap<&'edge [u8], Py<PyString>>,
    ) -> Option<Told> {
        let message = &self.text[self.prefix + NAME.len()..];
        let line = read_line(message)?;
        let mut known = |text: &'edge [u8]| {
            texts
                .entry(text)
                .or_insert_with(|| string(py, text))
                .clone_ref(py)
        };
        let prefix = known(&self.text[..self.prefix]);
        let (src_device, dst_device, via) = (known(line.src.1), known(line.dst.1), known(line.via));
        let values = (
            line.src.0,
            line.dst.0,
            src_device,
            dst_device,
            line.side,
            line.connection,
            via,
        );
        Some((
            self.number,
            self.count,
            prefix,
            string(py, &message[NUMBERED..]),
            string(py, &self.text),
            values,
        ))
    }
}

/// ASCII alone comes here.
fn string(py: Python<'_>, text: &[u8]) -> Py<PyString> {
    PyString::new(py, &String::from_utf8_lossy(text)).unbind()
}
