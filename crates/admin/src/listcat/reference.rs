//! The page docs/src/reference/listcat.md: the fields of LISTCAT, group by group.

use super::fields::{
    ACCOUNT, ALLOCATION, ATTRIBUTES, CCSID, CLASSES, ENCRYPTION, EXTENT, FILE, FILE_VOLUMES, HISTORY, INDEX, LOGSTREAM,
    MANAGED, RECOVERY, RLSDATA, SMSDATA, SPACE, STATISTICS, STATUS, VOLUME, VOLUMES,
};
use super::group::Group;

/// The page as it is in the manual.
pub fn reference_listcat_markdown() -> String {
    let mut page = Page {
        text: String::from(
            "# Fields of LISTCAT\n\n\
             <!-- Made from crates/admin/src/listcat/fields by its tests with CICA_BLESS=1. -->\n\n\
             What `LISTCAT ... ALL` prints of data sets and their components, and `cica show --json` tells.\n\
             A field without a label is in JSON alone, one without a key in the listing alone.\n",
        ),
        heading: String::new(),
    };
    page.group(&HISTORY);
    page.group(&MANAGED);
    page.group(&ACCOUNT);
    page.group(&CLASSES);
    page.group(&SMSDATA);
    page.group(&RLSDATA);
    page.group(&LOGSTREAM);
    page.group(&RECOVERY);
    page.group(&ENCRYPTION);
    page.group(&ATTRIBUTES);
    page.group(&CCSID);
    page.group(&STATISTICS);
    page.group(&INDEX);
    page.group(&ALLOCATION);
    page.group(&VOLUME);
    page.group(&EXTENT);
    page.group(&VOLUMES);
    page.group(&STATUS);
    page.group(&FILE_VOLUMES);
    page.group(&FILE);
    page.group(&SPACE);
    page.text
}

struct Page {
    text: String,
    /// That of the group before.
    heading: String,
}

impl Page {
    /// A table of the fields; those of a group with the heading of the one before go on in its table.
    fn group<T>(&mut self, group: &Group<T>) {
        let key = match group.key {
            "" => String::new(),
            key => format!(" (`{key}`)"),
        };
        let heading = format!("{}{}{key}", group.title, group.of);
        if heading != self.heading {
            self.text += &format!("\n## {heading}\n\n| label | key | |\n|---|---|---|\n");
            self.heading = heading;
        }
        let fields = group.rows.iter().flat_map(|row| row.iter());
        fields.for_each(|field| self.text += &field.reference());
    }
}
