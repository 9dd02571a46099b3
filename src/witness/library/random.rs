//! glibc's random numbers, value for value.

/// `rand`: the additive feedback generator of degree 31 (glibc, `random_r.c`, `TYPE_3`).
pub struct Rand {
    state: [u32; 31],
    front: usize,
    rear: usize,
}

impl Default for Rand {
    fn default() -> Self {
        Self::new(1)
    }
}

impl Rand {
    /// State after `srand(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut state = [0u32; 31];
        state[0] = if seed == 0 { 1 } else { seed };
        for i in 1..31 {
            // 16807 * x mod (2^31 - 1), by Schrage's method as glibc does, on the signed value.
            let x = i64::from(state[i - 1].cast_signed());
            let (high, low) = (x / 127_773, x % 127_773);
            let mut w = 16_807 * low - 2_836 * high;
            if w < 0 {
                w += 2_147_483_647;
            }
            // 0 ≤ w < 2^31 by the line above.
            state[i] = u32::try_from(w).unwrap_or(0);
        }
        let mut r = Self { state, front: 3, rear: 0 };
        for _ in 0..310 {
            r.next();
        }
        r
    }

    /// Next value, 0 to 2^31 - 1.
    pub fn next(&mut self) -> u32 {
        let v = self.state[self.front].wrapping_add(self.state[self.rear]);
        self.state[self.front] = v;
        self.front = (self.front + 1) % 31;
        self.rear = (self.rear + 1) % 31;
        v >> 1
    }
}

/// `rand_r` (glibc, `rand_r.c`): returns the new state and the value.
pub fn rand_r(seed: u32) -> (u32, u32) {
    let mut next = seed;
    let mut draw = |m: u32| {
        next = next.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (next / 65_536) % m
    };
    let mut r = draw(2048);
    r = r << 10 ^ draw(1024);
    r = r << 10 ^ draw(1024);
    (next, r)
}

/// The 48-bit linear congruential generator of `drand48` and its relatives.
pub struct Drand48(u64);

impl Default for Drand48 {
    /// glibc's state before any seeding is zero.
    fn default() -> Self {
        Self(0)
    }
}

impl Drand48 {
    pub fn new(seed: u32) -> Self {
        Self(u64::from(seed) << 16 | 0x330e)
    }
    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & ((1 << 48) - 1);
        self.0
    }
    /// `drand48`: a value in [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "48 bits fit into a double")]
    pub fn double(&mut self) -> f64 {
        self.step() as f64 / (1u64 << 48) as f64
    }
    /// `lrand48`: a value from 0 to 2^31 - 1.
    pub fn positive(&mut self) -> u32 {
        (self.step() >> 17) as u32
    }
    /// `mrand48`.
    pub fn signed(&mut self) -> i32 {
        ((self.step() >> 16) as u32).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from glibc 2.36: seed; the first, second and 1000th `rand`; after `srand48` one `drand48` (bits),
    /// `lrand48` and `mrand48`; new state and value of `rand_r`.
    type Recorded = (u32, [u32; 3], u64, u32, i32, (u32, u32));

    #[test]
    fn values_are_those_of_the_c_library() {
        let recorded: [Recorded; 5] = [
            (0, [1804289383, 846930886, 1143565421], 0x3fc5ddb16e288080, 1610402240, 413913109, (2802067423, 1012484)),
            (
                0x1,
                [1804289383, 846930886, 1143565421],
                0x3fa5509292a20200,
                976015093,
                -709454646,
                (662824084, 476707713),
            ),
            (
                0x7b,
                [128959393, 1692901013, 554728600],
                0x3fd1e3864ed44040,
                890194426,
                -321367284,
                (1668141782, 612365165),
            ),
            (
                0x80000001,
                [1081815585, 5219348, 448876553],
                0x3fe15509292a2020,
                2049756917,
                1438029002,
                (2810307732, 476707713),
            ),
            (
                0xffffffff,
                [254925627, 1205188300, 1892540048],
                0x3fd3339f1bd44040,
                97305740,
                1537280864,
                (646343466, 1670702726),
            ),
        ];
        for (seed, values, double, positive, signed, reentrant) in recorded {
            let mut r = Rand::new(seed);
            assert_eq!([r.next(), r.next()], values[..2], "seed {seed}");
            assert_eq!((0..998).map(|_| r.next()).last(), Some(values[2]), "seed {seed}");
            let mut d = Drand48::new(seed);
            assert_eq!((d.double().to_bits(), d.positive(), d.signed()), (double, positive, signed), "seed {seed}");
            assert_eq!(rand_r(seed), reentrant, "seed {seed}");
        }
        assert_eq!(Rand::default().next(), 1804289383, "as if seeded with 1");
    }
}
