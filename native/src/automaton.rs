//! Many texts in one automaton (Aho and Corasick, 1975), laid out so that what is walked most lies close together.

use crate::search::{join, Set};
use std::collections::HashMap;

/// Marks a state in which a text ends.
const ENDS: u32 = 1 << 31;
/// No state, while the automaton is made.
const NONE: u32 = u32::MAX;

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
    pub fn new(texts: Vec<(Vec<u8>, Set)>) -> Self {
        let (classes, count) = classes_of(&texts);
        let shift = count.next_power_of_two().trailing_zeros();
        let (trie, ends) = trie_of(&texts, &classes, shift);
        let mut made = Self {
            classes,
            shift,
            next: Vec::with_capacity(trie.len()),
            set_of: vec![],
            sets: vec![],
        };
        made.lay_out(&trie, ends);
        made
    }

    /// States in order of their distance from the start: what a state cannot go on with, the one that it falls back to
    /// can, and that one is laid out before.
    fn lay_out(&mut self, trie: &[u32], ends: Vec<Set>) {
        let width = 1usize << self.shift;
        let mut numbers: HashMap<Set, u32> = HashMap::new();
        // Of each state by its place: its node in the trie, and the place of the state that it falls back to.
        let mut order: Vec<(usize, usize)> = vec![(0, 0)];
        let mut at = 0;
        while at < order.len() {
            let (node, back) = order[at];
            let mut set = ends[node];
            if at > 0 {
                join(&mut set, &self.sets[self.set_of[back] as usize]);
            }
            let fresh = self.sets.len() as u32;
            let known = *numbers.entry(set).or_insert(fresh);
            if known == fresh {
                self.sets.push(set);
            }
            self.set_of.push(known);
            let row = self.next.len();
            if at > 0 {
                self.next
                    .extend_from_within(back * width..(back + 1) * width);
            } else {
                self.next.resize(width, 0);
            }
            for class in 0..width {
                let child = trie[node * width + class];
                if child == NONE {
                    continue;
                }
                // Where the same byte leads from the state to fall back to.
                let falls = if at > 0 {
                    self.next[row + class] >> self.shift
                } else {
                    0
                };
                self.next[row + class] = (order.len() as u32) << self.shift;
                order.push((child as usize, falls as usize));
            }
            at += 1;
        }
        for state in &mut self.next {
            if self.sets[self.set_of[(*state >> self.shift) as usize] as usize] != Set::default() {
                *state |= ENDS;
            }
        }
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

/// The texts as a tree: by node and class the next node. And of each node the parsers whose texts end there.
fn trie_of(texts: &[(Vec<u8>, Set)], classes: &[u8; 256], shift: u32) -> (Vec<u32>, Vec<Set>) {
    let width = 1usize << shift;
    let (mut trie, mut ends) = (vec![NONE; width], vec![Set::default()]);
    for (text, set) in texts {
        let mut node = 0;
        for &byte in text {
            let place = node * width + classes[byte as usize] as usize;
            if trie[place] == NONE {
                trie[place] = ends.len() as u32;
                ends.push(Set::default());
                trie.resize(trie.len() + width, NONE);
            }
            node = trie[place] as usize;
        }
        join(&mut ends[node], set);
    }
    (trie, ends)
}

/// The class of each byte, and how many there are; the first is of those that stand in no text.
fn classes_of(texts: &[(Vec<u8>, Set)]) -> ([u8; 256], usize) {
    let mut classes = [0u8; 256];
    let mut count = 1;
    for &byte in texts.iter().flat_map(|(text, _)| text) {
        if classes[byte as usize] == 0 && count < 256 {
            classes[byte as usize] = count as u8;
            count += 1;
        }
    }
    (classes, count)
}
