//! Tagged fields: one byte tag, four bytes length, value. A number is written with as few little-endian bytes as it
//! needs and left out when it is 0, a text is UTF-8 and left out when empty, a list is its values under one tag.

/// Fields being written.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    pub fn bytes(&mut self, tag: u8, value: &[u8]) {
        self.0.push(tag);
        // Values are names, texts of a command and nested fields: far from 4 GiB.
        self.0.extend_from_slice(&(value.len() as u32).to_le_bytes());
        self.0.extend_from_slice(value);
    }

    pub fn number(&mut self, tag: u8, value: impl Into<u64>) {
        let bytes = value.into().to_le_bytes();
        let needed = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
        if needed > 0 {
            self.bytes(tag, &bytes[..needed]);
        }
    }

    pub fn text(&mut self, tag: u8, value: &str) {
        if !value.is_empty() {
            self.bytes(tag, value.as_bytes());
        }
    }

    /// An optional text, where "none" and "empty" mean the same.
    pub fn option(&mut self, tag: u8, value: Option<&str>) {
        self.text(tag, value.unwrap_or_default());
    }

    pub fn nested(&mut self, tag: u8, value: Writer) {
        self.bytes(tag, &value.0);
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Fields being read. An error is a sentence for people, without place.
#[derive(Debug)]
pub struct Fields<'a>(Vec<(u8, &'a [u8])>);

impl<'a> Fields<'a> {
    pub fn parse(mut bytes: &'a [u8]) -> Result<Fields<'a>, String> {
        let mut fields = Vec::new();
        while let Some((head, rest)) = bytes.split_first_chunk::<5>() {
            let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
            let value = rest
                .get(..length)
                .ok_or_else(|| format!("field {} ends beyond its item", head[0]))?;
            fields.push((head[0], value));
            bytes = &rest[length..];
        }
        if bytes.is_empty() {
            Ok(Fields(fields))
        } else {
            Err("a field has no room for its length".to_owned())
        }
    }

    /// Takes the values under `tag`, so that [`Fields::finish`] finds what nobody took.
    pub fn all(&mut self, tag: u8) -> Vec<&'a [u8]> {
        let taken = self
            .0
            .iter()
            .filter(|(t, _)| *t == tag)
            .map(|(_, value)| *value)
            .collect();
        self.0.retain(|(t, _)| *t != tag);
        taken
    }

    pub fn one(&mut self, tag: u8) -> Result<Option<&'a [u8]>, String> {
        match self.all(tag).as_slice() {
            [] => Ok(None),
            [value] => Ok(Some(value)),
            _ => Err(format!("field {tag} is there twice")),
        }
    }

    pub fn number<T: TryFrom<u64>>(&mut self, tag: u8) -> Result<T, String> {
        let value = self.one(tag)?.unwrap_or_default();
        let wrong = || format!("the number in field {tag} is too large");
        let mut bytes = [0; 8];
        bytes.get_mut(..value.len()).ok_or_else(wrong)?.copy_from_slice(value);
        T::try_from(u64::from_le_bytes(bytes)).map_err(|_| wrong())
    }

    pub fn flag(&mut self, tag: u8) -> Result<bool, String> {
        match self.number::<u8>(tag)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(format!("field {tag} is {other}, neither yes nor no")),
        }
    }

    pub fn text(&mut self, tag: u8) -> Result<String, String> {
        text(self.one(tag)?.unwrap_or_default())
    }

    pub fn option(&mut self, tag: u8) -> Result<Option<String>, String> {
        Ok(Some(self.text(tag)?).filter(|text| !text.is_empty()))
    }

    /// The fields under `tag`; without it, none.
    pub fn nested(&mut self, tag: u8) -> Result<Fields<'a>, String> {
        Fields::parse(self.one(tag)?.unwrap_or_default())
    }

    /// A parsed text, which must be there.
    pub fn parsed<T, E>(&mut self, tag: u8, parse: impl Fn(&str) -> Result<T, E>) -> Result<T, String>
    where
        E: std::fmt::Display,
    {
        parse(&self.text(tag)?).map_err(|error| format!("field {tag}: {error}"))
    }

    /// All is well if nothing is left.
    pub fn finish(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((tag, _)) => Err(format!("field {tag} is not known in this format version")),
        }
    }
}

/// UTF-8 text.
pub fn text(value: &[u8]) -> Result<String, String> {
    String::from_utf8(value.to_vec()).map_err(|_| "a text is not UTF-8".to_owned())
}
