//! Records of several kinds, made from a seed: of each its bytes and where its key ends. Studies, examples and the
//! comparison in `bench/compress` use them.

/// A random sequence, the same each time.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// One below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A record, and where its key ends.
pub type Made = (Vec<u8>, usize);

/// What makes record number `n`.
pub type Make = fn(&mut Random, u64) -> Made;

/// The kinds.
pub const KINDS: [(&str, Make); 6] = [
    ("study", study),
    ("customer", customer),
    ("account", account),
    ("transaction", transaction),
    ("unicode", unicode),
    ("log", log),
];

const SYLLABLES: [&str; 30] = [
    "an", "ber", "ca", "der", "el", "for", "gar", "hil", "in", "jo", "ke", "lan", "mar", "nor", "ol", "per", "quin",
    "ros", "son", "ter", "ul", "van", "wil", "xe", "york", "zan", "ton", "ford", "smith", "er",
];
const STREETS: [&str; 10] = [
    "Street", "Avenue", "Road", "Drive", "Lane", "Plaza", "Square", "Heights", "Mission", "Ridge",
];
const STATES: [&str; 10] = ["NY", "CA", "TX", "WA", "IL", "MA", "FL", "OH", "GA", "CO"];

fn name(r: &mut Random, most: u64) -> String {
    let count = 2 + r.below(most);
    let word: String = (0..count).map(|_| r.pick(&SYLLABLES)).collect();
    word[..1].to_ascii_uppercase() + &word[1..]
}

fn street(r: &mut Random) -> String {
    format!("{} {} {}", r.below(99_999), name(r, 2), r.pick(&STREETS))
}

fn phone(r: &mut Random) -> String {
    format!("({:03}){:03}-{:04}  ", r.below(999), r.below(999), r.below(9999))
}

fn date(r: &mut Random, year: u64) -> String {
    format!(
        "{:04}-{:02}-{:02}",
        year + r.below(16),
        1 + r.below(12),
        1 + r.below(28)
    )
}

/// 250 bytes with a key of 10, as in the study of 2001: names, codes, packed and zoned numbers, of which LZ with a
/// static dictionary saves about 47 percent.
pub fn study(r: &mut Random, n: u64) -> Made {
    let mut record = format!("{n:010}").into_bytes();
    record.extend(
        format!(
            "{:<20}{:<22}{:<34}{:<24}",
            name(r, 2),
            name(r, 3),
            street(r),
            name(r, 3)
        )
        .bytes(),
    );
    for n in 0..10 {
        let value = r.below(if n < 3 { 100_000_000 } else { 1_000_000 });
        let digits = [value / 1_000_000, value / 10_000 % 100, value / 100 % 100, value % 100];
        record.extend(digits.map(|two| (((two / 10) << 4) | (two % 10)) as u8));
        record.push(0x0C);
    }
    for _ in 0..5 {
        record.extend(format!("{:08}", r.below(1_000_000)).bytes());
    }
    record.extend(date(r, 1990).bytes());
    record.extend(r.pick(&["ACTIVE  ", "CLOSED  ", "PENDING "]).bytes());
    record.extend(
        format!(
            "{:016}{:016}",
            r.below(10_000_000_000_000_000),
            r.below(10_000_000_000_000_000)
        )
        .bytes(),
    );
    record.resize(250, b' ');
    (record, 10)
}

/// 500 bytes, as a COBOL program for credit cards has of its customers.
pub fn customer(r: &mut Random, n: u64) -> Made {
    let names = format!("{n:09}{:<25}{:<25}{:<25}", name(r, 2), name(r, 2), name(r, 2));
    let rooms = format!("Apt. {}", r.below(999));
    let lines = format!("{:<50}{rooms:<50}{:<50}", street(r), name(r, 3));
    let place = format!("{}USA{:05}     ", r.pick(&STATES), r.below(99_999));
    let rest = format!("{:09}{:020}{}", r.below(999_999_999), r.below(1 << 40), date(r, 1950));
    let score = format!("{:010}Y{:03}", r.below(9_999_999_999), 300 + r.below(550));
    let record = names + &lines + &place + &phone(r) + &phone(r) + &rest + &score;
    (format!("{record:<500}").into_bytes(), 9)
}

/// 300 bytes, of its accounts.
pub fn account(r: &mut Random, n: u64) -> Made {
    let limits = format!("{:010}00{{{:010}00{{", r.below(1_000_000), r.below(100) * 10_000);
    let dates = date(r, 2010) + &date(r, 2010) + &date(r, 2010);
    let sums = format!("{:010}0{{{:010}0{{", r.below(1_000_000), r.below(1_000_000));
    let group = r.pick(&["A000000000", "DEFAULT", "ZEROAPR"]);
    let record = format!("{n:011}Y{limits}{dates}{sums}{:<10}{group:<10}", r.below(99_999));
    (format!("{record:<300}").into_bytes(), 11)
}

/// 350 bytes, of its transactions.
pub fn transaction(r: &mut Random, n: u64) -> Made {
    let kind = format!(
        "{:02}{:04}{:<10}",
        1 + r.below(7),
        1 + r.below(5),
        r.pick(&["POS TERM", "OPERATOR", "WEB"])
    );
    let shop = r.pick(&["Inc", "LLC", "Group", "Ltd"]);
    let words = format!("Purchase at {} {shop} and {}", name(r, 2), name(r, 2));
    let sum = format!(
        "{:09}{}{:09}",
        r.below(99_999),
        r.pick(&["{", "A", "B", "C", "}", "J"]),
        r.below(999_999_999)
    );
    let owner = format!("{}, {} and {}", name(r, 2), name(r, 2), name(r, 2));
    let town = format!("{} {}", name(r, 2), r.pick(&["town", "ville", "side", "port"]));
    let card = format!(
        "{:<10}{:016}",
        r.below(99_999),
        4_000_000_000_000_000 + r.below(10_000) * 77_777
    );
    let time = format!("{:02}:{:02}:{:02}.000000", r.below(24), r.below(60), r.below(60));
    let when = format!("2022-06-{:02} {time}2022-06-10 19:27:53.000000", 1 + r.below(28));
    let record = format!("{n:016}{kind}{words:<100}{sum}{owner:<50}{town:<50}{card}{when}");
    (format!("{record:<350}").into_bytes(), 16)
}

/// A line of a table of characters, of which the code is the key.
pub fn unicode(r: &mut Random, n: u64) -> Made {
    let script = r.pick(&[
        "LATIN",
        "GREEK",
        "CYRILLIC",
        "CUNEIFORM SIGN",
        "EGYPTIAN HIEROGLYPH",
        "HANGUL SYLLABLE",
        "CJK COMPATIBILITY IDEOGRAPH",
        "MATHEMATICAL BOLD",
        "YI SYLLABLE",
        "ARABIC",
        "DEVANAGARI",
        "TANGUT COMPONENT",
    ]);
    let form = r.pick(&[
        "CAPITAL LETTER",
        "SMALL LETTER",
        "LETTER",
        "VOWEL SIGN",
        "SIGN",
        "DIGIT",
        "COMBINING LETTER",
    ]);
    let with = r.pick(&[
        "",
        "",
        "",
        " WITH ACUTE",
        " WITH GRAVE",
        " WITH DOT ABOVE",
        " WITH STROKE",
        " TIMES ",
    ]);
    let class = format!(
        "{};{}",
        r.pick(&["Lu", "Ll", "Lo", "Mn", "So", "Nd"]),
        r.pick(&["0", "0", "0", "230", "220"])
    );
    let way = format!(
        "{};{}",
        r.pick(&["L", "L", "R", "AL", "NSM"]),
        r.pick(&["", "", "<compat> 0041"])
    );
    let word = name(r, 2).to_ascii_uppercase();
    let record = format!(
        "{n:06X}{script} {form} {word}{with};{class};{way};;;;N;;;{:04X};;",
        r.below(65_536)
    );
    (record.into_bytes(), 6)
}

/// A line as servers write it, with a number in front.
pub fn log(r: &mut Random, n: u64) -> Made {
    let when = format!(
        "2022-06-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        1 + n / 50_000 % 28,
        n / 3600 % 24,
        n / 60 % 60,
        n % 60,
        r.below(1000)
    );
    let from = format!(
        "host-{:02} {}[{}]",
        r.below(12),
        r.pick(&["cicsd", "httpd", "batchd"]),
        1000 + r.below(40)
    );
    let what = r.pick(&[
        "INFO request served",
        "WARN slow request",
        "INFO session opened",
        "ERROR record not found",
    ]);
    let client = format!("10.{}.{}.{}", r.below(4), r.below(256), r.below(256));
    let path = format!(
        "/api/v1/{}/{}",
        r.pick(&["accounts", "customers", "cards"]),
        r.below(100_000)
    );
    let status = r.pick(&["200", "200", "200", "404", "500", "304"]);
    let end = format!("status={status} bytes={} time_ms={}", r.below(20_000), r.below(900));
    let method = r.pick(&["GET", "GET", "GET", "POST", "PUT"]);
    let record = format!("{n:012}{when} {from}: {what} client={client} method={method} path={path} {end}");
    (record.into_bytes(), 12)
}
