//! The edges of a log as columns, each once a thread, and which of them are known: `edge_rows.EdgeRows` of Python, for
//! the lines that the sieve takes apart. `nccl_log/native_rows.py` is its only user.

use crate::edges::{Found, Told};
use crate::hashing::Map;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Of an owner that was seen by the sieve, and of which no line was taken.
const NEVER: i64 = i64::MAX;
/// Stands for what is made of the owner's name: its prefix, and what follows it in each channel line.
const OF_OWNER: i32 = -2;
const BEHIND_PREFIX: &str = " NCCL INFO Channel ";
/// Who takes what comes when there are too many owners.
const NOBODY: &[u8] = b"";

/// Texts by number.
#[derive(Default)]
pub struct Texts {
    numbers: Map<Box<[u8]>, u32>,
    all: Vec<Box<[u8]>>,
}

impl Texts {
    pub fn number_of(&mut self, text: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.all.len() as u32;
        self.numbers.insert(text.into(), number);
        self.all.push(text.into());
        number
    }

    pub fn text(&self, number: u32) -> &[u8] {
        &self.all[number as usize]
    }

    fn len(&self) -> usize {
        self.all.len()
    }

    /// Lines of bytes.
    fn joined(&self) -> Vec<u8> {
        self.all.join(&b'\n')
    }
}

/// An edge: owner, ranks, kind, texts before and of the number and behind the ranks.
type Numbers = [i32; 7];
const OWNER: usize = 0;
const KIND: usize = 3;
const TEXTS: std::ops::Range<usize> = 4..7;
type Key = [i32; 4];

#[derive(Clone, Copy)]
struct Row {
    numbers: Numbers,
    line: i64,
    count: i64,
}

fn key_of(numbers: &Numbers) -> Key {
    [numbers[0], numbers[1], numbers[2], numbers[3]]
}

/// Columns, and in their order what processes, kinds and texts they speak of.
type Packed = (Vec<Py<PyBytes>>, Vec<u32>, Vec<u32>, Vec<Py<PyString>>);
/// Names of owners and their first lines, texts, and columns.
type State = (Py<PyBytes>, Py<PyBytes>, Py<PyBytes>, Vec<Py<PyBytes>>);

#[pyclass]
pub struct EdgeTable {
    most_edges: u32,
    pub owners: Texts,
    /// The first line of each owner that was taken.
    firsts: Vec<i64>,
    /// Those owners, in the order in which they came.
    admitted: Vec<u32>,
    sizes: Vec<u32>,
    texts: Texts,
    pub found: Found,
    /// Kind and text behind the ranks, by the numbers that kinds have in `found`.
    kinds: Vec<(i32, i32)>,
    rows: Vec<Row>,
    known: Map<Key, u32>,
}

#[pymethods]
impl EdgeTable {
    /// `most_edges`: of one owner.
    #[new]
    fn new(most_edges: u32) -> Self {
        Self {
            most_edges,
            owners: Texts::default(),
            firsts: vec![],
            admitted: vec![],
            sizes: vec![],
            texts: Texts::default(),
            found: Found::default(),
            kinds: vec![],
            rows: vec![],
            known: Map::default(),
        }
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// Owners of which a line was taken.
    #[getter]
    fn admitted(&self) -> usize {
        self.admitted.len()
    }

    /// The names of those that came behind the first `known`.
    fn admitted_since(&self, py: Python<'_>, known: usize) -> Vec<Py<PyString>> {
        let came = self.admitted.iter().skip(known);
        came.map(|owner| string(py, self.owners.text(*owner))).collect()
    }

    #[getter]
    fn is_full(&self) -> bool {
        self.sizes.iter().any(|size| *size >= self.most_edges)
    }

    #[getter]
    fn lines(&self) -> i64 {
        self.rows.iter().map(|row| row.count).sum()
    }

    /// What the sieve found since it was asked last, for which `set_kinds` is to be told the kinds.
    fn new_kinds(&self, py: Python<'_>) -> Vec<Told> {
        self.found.told(py, self.kinds.len())
    }

    /// The kinds of what `new_kinds` gave, and the texts behind the ranks.
    fn set_kinds(&mut self, kinds: Vec<(i32, String)>) {
        for (kind, after) in kinds {
            let after = self.texts.number_of(after.as_bytes()) as i32;
            self.kinds.push((kind, after));
        }
    }

    /// The row of an edge that is told in one line; None where its owner has no room for it. `before`: None for what
    /// the owner's prefix and the usual words say. `number`: None where `before` is the whole line.
    #[pyo3(signature = (owner, ends, kind, before, number, after, line))]
    #[allow(clippy::too_many_arguments)]
    fn add(
        &mut self,
        owner: &str,
        ends: (i32, i32),
        kind: i32,
        before: Option<&str>,
        number: Option<&str>,
        after: &str,
        line: i64,
    ) -> Option<u32> {
        let owner = self.owners.number_of(owner.as_bytes());
        self.admit(owner, line, usize::MAX);
        let mut text = |text: &str| self.texts.number_of(text.as_bytes()) as i32;
        let before = before.map_or(OF_OWNER, &mut text);
        let number = number.map_or(-1, &mut text);
        let after = text(after);
        let numbers = [owner as i32, ends.0, ends.1, kind, before, number, after];
        self.take_row(Row {
            numbers,
            line,
            count: 1,
        })
    }

    /// One more line says the same as a row.
    fn again(&mut self, row: u32) {
        self.rows[row as usize].count += 1;
    }

    /// The names of all owners of which a line was taken, the first line of each, and how many lines tell its edges.
    fn told_of_owners(&self, py: Python<'_>) -> Vec<(Py<PyString>, i64, i64)> {
        let mut lines = vec![0; self.owners.len()];
        for row in &self.rows {
            lines[row.numbers[OWNER] as usize] += row.count;
        }
        let all = self.owners.all.iter().zip(&self.firsts).zip(lines);
        all.filter(|((_, first), _)| **first != NEVER)
            .map(|((name, first), lines)| (string(py, name), *first, lines))
            .collect()
    }

    /// All that another table must know to take it in; kinds have numbers of their own.
    fn state(&self, py: Python<'_>) -> State {
        let bytes = |found: &[u8]| PyBytes::new(py, found).unbind();
        let firsts: Vec<u8> = self
            .firsts
            .iter()
            .flat_map(|each| each.to_ne_bytes())
            .collect();
        (
            bytes(&self.owners.joined()),
            bytes(&firsts),
            bytes(&self.texts.joined()),
            columns(py, &self.rows),
        )
    }

    /// Add what another met later. `kinds`: the numbers that its kinds have here. `most_owners`: so many are told apart.
    fn merge(
        &mut self,
        owners: &[u8],
        firsts: &[u8],
        texts: &[u8],
        other: Vec<Vec<u8>>,
        kinds: Vec<i32>,
        most_owners: usize,
    ) -> PyResult<()> {
        let wrong = || PyValueError::new_err("no state of a table of edges");
        let firsts: Vec<i64> = longs(firsts).collect();
        let mut who = Vec::with_capacity(firsts.len());
        for (name, &first) in owners.split(|byte| *byte == b'\n').zip(&firsts) {
            let number = self.owners.number_of(name);
            who.push(if first == NEVER {
                number
            } else {
                self.admit(number, first, most_owners)
            });
        }
        let texts: Vec<i32> = texts
            .split(|byte| *byte == b'\n')
            .map(|text| self.texts.number_of(text) as i32)
            .collect();
        if other.len() != 9 {
            return Err(wrong());
        }
        let (numbers, long) = other.split_at(7);
        let (lines, counts) = (longs(&long[0]), longs(&long[1]));
        for (place, (line, count)) in lines.zip(counts).enumerate() {
            let mut row = Row {
                numbers: [0; 7],
                line,
                count,
            };
            for (own, column) in row.numbers.iter_mut().zip(numbers) {
                let four = column.get(4 * place..4 * place + 4).ok_or_else(wrong)?;
                *own = i32::from_ne_bytes(four.try_into().expect("four bytes"));
            }
            let owner = &mut row.numbers[OWNER];
            *owner = *who.get(*owner as usize).ok_or_else(wrong)? as i32;
            row.numbers[KIND] = *kinds.get(row.numbers[KIND] as usize).ok_or_else(wrong)?;
            for text in &mut row.numbers[TEXTS] {
                if *text >= 0 {
                    *text = *texts.get(*text as usize).ok_or_else(wrong)?;
                }
            }
            self.take_row(row);
        }
        Ok(())
    }

    /// Give the memory back that is needed only while rows are taken.
    fn forget_known(&mut self) {
        self.known = Map::default();
    }

    /// Each edge of a process once, in the order of lines. `processes`: by owner, as `told_of_owners` gives them.
    fn packed(&self, py: Python<'_>, processes: Vec<u32>) -> Packed {
        let mut process_of = vec![0; self.owners.len()];
        let met = (0..self.firsts.len()).filter(|owner| self.firsts[*owner] != NEVER);
        for (owner, process) in met.zip(&processes) {
            process_of[owner] = *process;
        }
        let mut rows = self.rows_of_processes(&process_of);
        if !rows.is_sorted_by_key(|row| (row.1.line, row.0)) {
            rows.sort_by_key(|row| (row.1.line, row.0));
        }
        self.numbered_anew(py, rows)
    }
}

/// A process, and an edge of it.
type OfProcess = (u32, Row);

impl EdgeTable {
    pub fn quiet_of(&self, kind: u32) -> bool {
        self.kinds[kind as usize].0 < 0
    }

    /// A line of this owner was taken: the owner, or who stands for it where there are too many.
    pub fn admit(&mut self, owner: u32, line: i64, most: usize) -> u32 {
        self.firsts.resize(self.owners.len(), NEVER);
        self.sizes.resize(self.owners.len(), 0);
        let mut owner = owner;
        if self.firsts[owner as usize] == NEVER && self.admitted.len() >= most {
            owner = self.owners.number_of(NOBODY);
            self.firsts.resize(self.owners.len(), NEVER);
            self.sizes.resize(self.owners.len(), 0);
        }
        let first = &mut self.firsts[owner as usize];
        if *first == NEVER {
            self.admitted.push(owner);
        }
        *first = line.min(*first);
        owner
    }

    /// Take an edge that the sieve found.
    pub fn take(
        &mut self,
        owner: u32,
        ends: [u32; 2],
        found: u32,
        number: u32,
        line: i64,
        count: i64,
    ) {
        let (kind, after) = self.kinds[found as usize];
        let number = self.texts.number_of(self.found.number(number)) as i32;
        let numbers = [
            owner as i32,
            ends[0] as i32,
            ends[1] as i32,
            kind,
            OF_OWNER,
            number,
            after,
        ];
        self.take_row(Row {
            numbers,
            line,
            count,
        });
    }

    fn take_row(&mut self, row: Row) -> Option<u32> {
        if self.known.is_empty() && !self.rows.is_empty() {
            let keys = self.rows.iter().map(|row| key_of(&row.numbers));
            self.known = keys.zip(0..).collect();
        }
        let owner = row.numbers[OWNER] as usize;
        let next = self.rows.len() as u32;
        match self.known.entry(key_of(&row.numbers)) {
            std::collections::hash_map::Entry::Occupied(known) => {
                self.rows[*known.get() as usize].count += row.count;
                Some(*known.get())
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                if self.sizes[owner] >= self.most_edges {
                    return None;
                }
                self.sizes[owner] += 1;
                free.insert(next);
                self.rows.push(row);
                Some(next)
            }
        }
    }

    /// What several owners of a process say is said once, on the first line of all. Owner by owner.
    fn rows_of_processes(&self, process_of: &[u32]) -> Vec<OfProcess> {
        let of = |row: &Row| process_of[row.numbers[OWNER] as usize];
        let mut talking = vec![];
        for (owner, process) in process_of.iter().enumerate() {
            if self.sizes.get(owner).is_some_and(|size| *size > 0) {
                talking.push(*process);
            }
        }
        let owners = talking.len();
        talking.sort_unstable();
        talking.dedup();
        if talking.len() == owners {
            return self.rows.iter().map(|row| (of(row), *row)).collect();
        }
        let mut order: Vec<&Row> = self.rows.iter().collect();
        order.sort_by_key(|row| row.numbers[OWNER]);
        let mut places: Map<(u32, [i32; 3]), usize> = Map::default();
        let mut joined: Vec<OfProcess> = vec![];
        for row in order {
            let numbers = &row.numbers;
            let key = (of(row), [numbers[1], numbers[2], numbers[3]]);
            let next = joined.len();
            let place = *places.entry(key).or_insert(next);
            if place == next {
                joined.push((of(row), *row));
                continue;
            }
            let known = &mut joined[place].1;
            let count = known.count + row.count;
            if row.line < known.line {
                *known = *row;
            }
            known.count = count;
        }
        joined
    }

    /// Numbered anew, in the order of rows: the same edges are the same columns, however they were read.
    fn numbered_anew(&self, py: Python<'_>, mut rows: Vec<OfProcess>) -> Packed {
        let (mut processes, mut kinds, mut texts) =
            (Anew::default(), Anew::default(), Texts::default());
        let mut places: Map<(i32, i32), i32> = Map::default();
        for (process, row) in &mut rows {
            let owner = row.numbers[OWNER];
            if row.numbers[TEXTS.start] == OF_OWNER {
                let place = *places.entry((OF_OWNER, owner)).or_insert_with(|| {
                    let mut text = self.owners.text(owner as u32).to_vec();
                    text.extend_from_slice(BEHIND_PREFIX.as_bytes());
                    texts.number_of(&text) as i32
                });
                row.numbers[TEXTS.start] = place;
            } else {
                self.put(&mut row.numbers[TEXTS.start], &mut places, &mut texts);
            }
            row.numbers[OWNER] = processes.number_of(*process) as i32;
            row.numbers[KIND] = kinds.number_of(row.numbers[KIND] as u32) as i32;
        }
        for place in [TEXTS.start + 1, TEXTS.start + 2] {
            for (_, row) in &mut rows {
                self.put(&mut row.numbers[place], &mut places, &mut texts);
            }
        }
        let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
        let strings = texts.all.iter().map(|text| string(py, text)).collect();
        (columns(py, &rows), processes.all, kinds.all, strings)
    }

    /// Gives a text the number that it has in `texts`.
    fn put(&self, number: &mut i32, places: &mut Map<(i32, i32), i32>, texts: &mut Texts) {
        if *number >= 0 {
            *number = *places
                .entry((0, *number))
                .or_insert_with(|| texts.number_of(self.texts.text(*number as u32)) as i32);
        }
    }
}

/// Numbers in the order of their first use.
#[derive(Default)]
struct Anew {
    numbers: Map<u32, u32>,
    all: Vec<u32>,
}

impl Anew {
    fn number_of(&mut self, old: u32) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(old).or_insert(next);
        if number == next {
            self.all.push(old);
        }
        number
    }
}

fn columns(py: Python<'_>, rows: &[Row]) -> Vec<Py<PyBytes>> {
    let pack = |bytes: Vec<u8>| PyBytes::new(py, &bytes).unbind();
    let numbers = (0..7).map(|column| {
        pack(
            rows.iter()
                .flat_map(|row| row.numbers[column].to_ne_bytes())
                .collect(),
        )
    });
    let mut all: Vec<_> = numbers.collect();
    all.push(pack(
        rows.iter().flat_map(|row| row.line.to_ne_bytes()).collect(),
    ));
    all.push(pack(
        rows.iter()
            .flat_map(|row| row.count.to_ne_bytes())
            .collect(),
    ));
    all
}

fn longs(bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    bytes
        .chunks_exact(8)
        .map(|each| i64::from_ne_bytes(each.try_into().expect("eight bytes")))
}

fn string(py: Python<'_>, text: &[u8]) -> Py<PyString> {
    PyString::new(py, &String::from_utf8_lossy(text)).unbind()
}
