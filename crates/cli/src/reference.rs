//! The page docs/src/reference/cli.md, made from the command line's own definition: so it cannot say anything else.
#![allow(clippy::unwrap_used)]

use crate::args::Cli;
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write;
use std::path::Path;

#[test]
fn the_reference_page_is_in_step() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/cli.md");
    let page = page();
    if std::env::var_os("CICA_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "{} is out of step; CICA_BLESS=1 writes it anew",
        path.display()
    );
}

fn page() -> String {
    let mut command = Cli::command();
    command.build();
    let mut page = String::from(
        "# The cica command\n\n\
         <!-- Made from crates/cli/src; run its tests with CICA_BLESS=1 to write it anew. -->\n\n\
         `cica --help` and `cica COMMAND --help` print the same, `cica man DIRECTORY` writes it as manual pages, and\n\
         `cica completions SHELL` teaches it to a shell.\n\n## Options of all commands\n\n",
    );
    for option in command.get_arguments().filter(|a| a.is_global_set()) {
        argument(&mut page, option);
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n```text\n{}\n```\n", after.trim_end());
    for below in command.get_subcommands().filter(|c| c.get_name() != "help") {
        section(&mut page, below, &format!("cica {}", below.get_name()));
    }
    page
}

fn section(page: &mut String, command: &Command, name: &str) {
    let about = command
        .get_long_about()
        .or(command.get_about())
        .map(ToString::to_string)
        .unwrap_or_default();
    // Writing to a String cannot fail.
    let _ = write!(page, "\n## {name}\n\n{}.\n\n", about.trim_end_matches('.'));
    let below: Vec<&Command> = command.get_subcommands().filter(|c| c.get_name() != "help").collect();
    if below.is_empty() {
        let usage = command.clone().render_usage().to_string().replace("Usage: ", "");
        let _ = write!(page, "```text\n{usage}\n```\n\n");
    }
    let own = |a: &&Arg| !a.is_global_set() && !["help", "version"].contains(&a.get_id().as_str());
    command.get_positionals().filter(own).for_each(|a| argument(page, a));
    command
        .get_arguments()
        .filter(|a| !a.is_positional())
        .filter(own)
        .for_each(|a| argument(page, a));
    if let Some(example) = command.get_after_help() {
        let _ = write!(page, "\n```text\n{}\n```\n", example.to_string().trim_end());
    }
    for inner in below {
        section(page, inner, &format!("{name} {}", inner.get_name()));
    }
}

fn argument(page: &mut String, argument: &Arg) {
    let value = argument.get_value_names().map(|n| n.join(" ")).unwrap_or_default();
    let takes = argument.get_action().takes_values();
    let shown = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) if takes => format!("-{short}, --{long} {value}"),
        (None, Some(long)) if takes => format!("--{long} {value}"),
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) => format!("--{long}"),
        _ => value,
    };
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let choices: Vec<String> = argument
        .get_possible_values()
        .iter()
        .map(|v| v.get_name().to_owned())
        .collect();
    let choices = if choices.is_empty() || !takes {
        String::new()
    } else {
        format!(": {}", choices.join(", "))
    };
    let defaults: Vec<_> = argument
        .get_default_values()
        .iter()
        .map(|v| v.to_string_lossy())
        .collect();
    let default = match defaults.join(" ").as_str() {
        "" => String::new(),
        text if takes => format!(" (default {text})"),
        _ => String::new(),
    };
    let _ = writeln!(page, "* `{shown}`: {help}{choices}{default}");
}
