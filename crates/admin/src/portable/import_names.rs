//! The names and volumes that an IMPORT gives what is in the copy.

use super::super::failure::{refused, Failure};
use cica_catalog::entry::Relate;
use cica_catalog::{Entry, Name};

/// What IMPORT is to change in the definition of an entry or component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportObject {
    /// Its name in the copy.
    pub name: String,
    /// Its name here.
    pub new_name: Option<String>,
    /// Its volumes here, `*` for the default one; none means those in the copy.
    pub volumes: Vec<String>,
}

/// What OBJECTS and OUTDATASET say of an entry.
pub struct ImportNames<'p> {
    /// Its list in OBJECTS.
    object: Option<&'p ImportObject>,
    objects: &'p [ImportObject],
    new_name: Option<Name>,
}

impl<'p> ImportNames<'p> {
    /// What is said of `entry`, which is the object itself, to be called `target`, or something that leads to it.
    pub fn of(objects: &'p [ImportObject], entry: &Entry, target: Option<&str>) -> Result<ImportNames<'p>, Failure> {
        let object = of_name(objects, entry.name());
        let stated = object.and_then(|object| object.new_name.as_deref());
        if let Some((stated, target)) = stated.zip(target).filter(|(a, b)| !a.eq_ignore_ascii_case(b)) {
            let words = format!("NEWNAME says {stated}, and the output is {target}; say one of them, or the same");
            return Err(refused(&words, 140, 0));
        }
        let new_name = stated.or(target).map(Name::parse).transpose();
        Ok(ImportNames {
            object,
            objects,
            new_name: new_name.map_err(|error| refused(&error, 140, 0))?,
        })
    }

    pub fn volumes(&self) -> &[String] {
        self.object.map_or(&[], |object| &object.volumes)
    }

    /// Gives `entry` its name here, its components theirs, and lets it lead to the object by that one's new name.
    pub fn apply(&self, entry: &mut Entry, object: Option<&(Name, Name)>) -> Result<(), Failure> {
        let old = entry.name().clone();
        for component in entry.components_mut() {
            let stated = of_name(self.objects, &component.name).and_then(|object| object.new_name.as_deref());
            let rest = component.name.as_str().strip_prefix(old.as_str());
            let text = match (stated, &self.new_name, rest.filter(|rest| rest.starts_with('.'))) {
                (Some(stated), _, _) => stated.to_owned(),
                (None, Some(new), Some(rest)) => format!("{new}{rest}"),
                _ => continue,
            };
            component.name = Name::parse(&text).map_err(|error| refused(&error, 140, 0))?;
        }
        if let Some((was, is)) = object {
            match entry {
                Entry::Path(path) if path.target == *was => path.target = is.clone(),
                Entry::Alias(alias) if alias.entry() == Some(was) => alias.relate = Relate::Entry(is.clone()),
                _ => {}
            }
        }
        if let Some(new) = &self.new_name {
            entry.rename(new.clone());
        }
        Ok(())
    }
}

/// What is said of an entry or component of this name.
fn of_name<'p>(objects: &'p [ImportObject], name: &Name) -> Option<&'p ImportObject> {
    objects.iter().find(|object| object.name == name.as_str())
}
