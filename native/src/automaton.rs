//! Many texts in one automaton (Aho and Corasick, 1975), laid out so that what is walked most lies close together.

use crate::search::{join, Set};
use aho_corasick::automaton::Automaton;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, StartKind};
use std::collections::HashMap;

/// Marks a state in which a text ends.
const ENDS: u32 = 1 << 31;

/// Texts, and to which parsers each belongs.
pub struct Texts {
    /// Of each byte: those that stand in no text are one class.
    classes: [u8; 256],
    shift: u32,
    /// By state and class the next state, marked. The nearest to the start come first.
    next: Vec<u32>,
    /// By state: which of `sets`.
    set_of: Vec<u32>,
    sets: Vec<Set>,
}

impl Texts {
    pub fn new(texts: Vec<(Vec<u8>, Set)>) -> Result<Self, String> {
        let (classes, members) = classes_of(&texts);
        let found = DFA::builder()
            .start_kind(StartKind::Unanchored)
            .build(texts.iter().map(|(text, _)| text))
            .map_err(|error| error.to_string())?;
        let shift = members.len().next_power_of_two().trailing_zeros();
        let mut laid = Self {
            classes,
            shift,
            next: vec![],
            set_of: vec![],
            sets: vec![],
        };
        let mut sets: HashMap<Set, u32> = HashMap::new();
        let start = found
            .start_state(Anchored::No)
            .map_err(|error| error.to_string())?;
        let (mut order, mut numbers) = (vec![start], HashMap::from([(start, 0u32)]));
        let mut at = 0;
        while at < order.len() {
            let state = order[at];
            at += 1;
            let mut set = Set::default();
            if found.is_match(state) {
                (0..found.match_len(state)).for_each(|index| {
                    join(
                        &mut set,
                        &texts[found.match_pattern(state, index).as_usize()].1,
                    )
                });
            }
            let known = sets.len() as u32;
            laid.set_of.push(*sets.entry(set).or_insert_with(|| {
                laid.sets.push(set);
                known
            }));
            let row = laid.next.len();
            laid.next.resize(row + (1 << shift), 0);
            for (class, &byte) in members.iter().enumerate() {
                let next = found.next_state(Anchored::No, state, byte);
                let fresh = order.len() as u32;
                let number = *numbers.entry(next).or_insert_with(|| {
                    order.push(next);
                    fresh
                });
                laid.next[row + class] =
                    number << shift | if found.is_match(next) { ENDS } else { 0 };
            }
        }
        Ok(laid)
    }

    /// Joins to `held` the parsers of all texts that stand in `text`.
    pub fn held_in(&self, text: &[u8], held: &mut Set) {
        let mut state = 0u32;
        for &byte in text {
            state = self.next[(state & !ENDS) as usize + self.classes[byte as usize] as usize];
            if state & ENDS != 0 {
                join(
                    held,
                    &self.sets[self.set_of[((state & !ENDS) >> self.shift) as usize] as usize],
                );
            }
        }
    }
}

/// The class of each byte, and one byte of each class.
fn classes_of(texts: &[(Vec<u8>, Set)]) -> ([u8; 256], Vec<u8>) {
    let mut used = [false; 256];
    texts
        .iter()
        .flat_map(|(text, _)| text)
        .for_each(|&byte| used[byte as usize] = true);
    let (mut classes, mut members) = ([0u8; 256], vec![]);
    if let Some(other) = (0..=255u8).find(|&byte| !used[byte as usize]) {
        members.push(other);
    }
    for byte in (0..=255u8).filter(|&byte| used[byte as usize]) {
        classes[byte as usize] = members.len() as u8;
        members.push(byte);
    }
    (classes, members)
}
