//! A hash of texts and numbers that is fast, and that no log can be written against: it begins with chance.

use std::collections::hash_map::RandomState;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

/// Odd, and with as many ones as zeros.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

pub type Map<Key, Value> = HashMap<Key, Value, Seeded>;

#[derive(Clone)]
pub struct Seeded {
    seeds: [u64; 2],
}

impl Default for Seeded {
    fn default() -> Self {
        static SEEDS: OnceLock<[u64; 2]> = OnceLock::new();
        let seeds =
            *SEEDS.get_or_init(|| [0u64, 1].map(|each| RandomState::new().hash_one(each) | 1));
        Self { seeds }
    }
}

impl BuildHasher for Seeded {
    type Hasher = Folding;

    fn build_hasher(&self) -> Folding {
        Folding {
            state: self.seeds[0],
            factor: self.seeds[1],
        }
    }
}

pub struct Folding {
    state: u64,
    factor: u64,
}

fn folded(one: u64, two: u64) -> u64 {
    let product = u128::from(one) * u128::from(two);
    product as u64 ^ (product >> 64) as u64
}

impl Hasher for Folding {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.write_u64(u64::from_le_bytes(word.try_into().expect("eight bytes")));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        self.write_u64(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.state = folded(self.state ^ number, self.factor);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        folded(self.state, SPREAD)
    }
}
