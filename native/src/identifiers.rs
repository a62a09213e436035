//! One identifier for all of a form. Says the same as `forms/identifiers.py` in Python, where it says why.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

const LEAST_DIGITS: usize = 8;
const LONGEST_GROUP: usize = 64;
const MOST_GROUPS: usize = 10;
const WORDS: [&[u8]; 5] = [b"bad", b"dead", b"dbe", b"ecc", b"fec"];

/// A shape of the same length, in which identifiers of one form are the same.
#[pyfunction]
pub fn blind_to_identifiers<'py>(py: Python<'py>, shape: &[u8]) -> Bound<'py, PyBytes> {
    let mut blind = shape.to_vec();
    let mut at = 0;
    while at < shape.len() {
        if !is_word(shape[at]) {
            at += 1;
            continue;
        }
        let digits = at + if shape[at..].starts_with(b"0x") { 2 } else { 0 };
        match end_of_identifier(shape, digits) {
            Some(end) => {
                if is_telling(&shape[digits..end]) {
                    make_alike(&mut blind[digits..end]);
                }
                at = end;
            }
            None => at = end_of_word(shape, at),
        }
    }
    PyBytes::new(py, &blind)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0' | b'a'..=b'f' | b'A'..=b'F')
}

fn is_between(byte: u8) -> bool {
    byte == b'-' || byte == b':'
}

fn end_of_word(shape: &[u8], start: usize) -> usize {
    shape[start..]
        .iter()
        .position(|&byte| !is_word(byte))
        .map_or(shape.len(), |length| start + length)
}

/// Behind the word that begins here, if it is a group of hexadecimal digits.
fn end_of_group(shape: &[u8], start: usize) -> Option<usize> {
    let end = end_of_word(shape, start);
    let group = &shape[start..end];
    (!group.is_empty() && group.len() <= LONGEST_GROUP && group.iter().copied().all(is_digit))
        .then_some(end)
}

fn end_of_identifier(shape: &[u8], start: usize) -> Option<usize> {
    let mut end = end_of_group(shape, start)?;
    for _ in 1..MOST_GROUPS {
        match shape.get(end) {
            Some(&byte) if is_between(byte) => match end_of_group(shape, end + 1) {
                Some(next) => end = next,
                None => break,
            },
            _ => break,
        }
    }
    Some(end)
}

/// Is it long enough, of digits and letters, and spells none of the words that parsers look for?
fn is_telling(digits: &[u8]) -> bool {
    let zeros = digits.iter().filter(|&&byte| byte == b'0').count();
    let count = digits.iter().filter(|&&byte| !is_between(byte)).count();
    count >= LEAST_DIGITS && 0 < zeros && zeros < count && !spells_a_word(digits)
}

fn spells_a_word(digits: &[u8]) -> bool {
    (0..digits.len()).any(|at| {
        WORDS.iter().any(|word| {
            digits.len() - at >= word.len() && digits[at..at + word.len()].eq_ignore_ascii_case(word)
        })
    })
}

/// Of each group counts whether it holds digits, small letters and large ones, and in which order they come first.
fn make_alike(digits: &mut [u8]) {
    for group in digits.split_mut(|&byte| is_between(byte)) {
        let (mut kinds, mut count) = ([0u8; 3], 0);
        for &byte in group.iter() {
            let kind = match byte {
                b'0' => b'0',
                b'a'..=b'f' => b'a',
                _ => b'A',
            };
            if !kinds[..count].contains(&kind) {
                kinds[count] = kind;
                count += 1;
            }
        }
        group.fill(kinds[count - 1]);
        group[..count].copy_from_slice(&kinds[..count]);
    }
}
