#!/usr/bin/env python3
"""A check that cannot fail is none: docs.py and tidy.py are given what they must object to; the mutator
what it must find; share.py histories that cannot be."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import compat
import gnucobol_locks
import history
import mutants

HERE = pathlib.Path(__file__).resolve().parent


def docs(page, directory):
    """Runs docs.py on a page with this text; exit status and output."""
    path = pathlib.Path(directory) / "page.md"
    path.write_text(page)
    done = subprocess.run(
        [sys.executable, HERE / "docs.py", "--bin", directory, path], capture_output=True, text=True
    )
    return done.returncode, done.stdout


def tidy(files, directory):
    """Runs tidy.py in a repository with these files; exit status and output."""
    root = pathlib.Path(directory)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    done = subprocess.run([sys.executable, HERE / "tidy.py"], cwd=root, capture_output=True, text=True)
    return done.returncode, done.stdout


class Compat(unittest.TestCase):
    BUILT = "| request | |\n|---|---|\n| GET and PUT CNV (control intervals), ADR updates of a KSDS | not built |\n"

    def test_a_row_that_another_row_contradicts_is_told(self):
        other = "| deviation | reason |\n|---|---|\n| PUT CNV replaces a CI | z/OS checks nothing |\n"
        self.assertEqual(
            compat.contradictions(self.BUILT + other, []),
            ["line 3 calls PUT CNV not built, line 6 tells of it"],
        )
        self.assertEqual(compat.contradictions(self.BUILT.replace("not built", "done") + other, []), [])

    def test_a_row_that_the_sources_contradict_is_told(self):
        sources = [("a.rs", "/// GET CNV: the image of a control interval\n"), ("b.rs", "// what GET CNV would be\n")]
        self.assertEqual(
            compat.contradictions(self.BUILT, sources), ["line 3 calls GET CNV not built, a.rs is about it"]
        )

    def test_rows_that_agree_pass(self):
        other = "| ASY, CHECK | not built |\n| PUT NUP, PUT UPD | done |\n| ADR (by RBA) | done |\n"
        self.assertEqual(compat.contradictions(self.BUILT + other, [("a.rs", "/// CHECKS: all\n")]), [])


class Docs(unittest.TestCase):
    def judge(self, page):
        with tempfile.TemporaryDirectory() as directory:
            return docs(page, directory)

    def test_right_output_passes(self):
        page = "```console\n$ printf 'a 1 b\\nx\\ny\\nz\\n'\na ... b\n...\nz\n$ cat <<E\n> in\n> E\nin\n```\n"
        status, text = self.judge(page)
        self.assertEqual(status, 0, text)
        self.assertIn("2 passed; 0 failed", text)

    def test_other_output_fails(self):
        for shown in ("a", "a\nb", "b\n...\nc", "...a", ""):
            status, text = self.judge(f"```console\n$ printf 'b\\n'\n{shown}\n```\n")
            self.assertEqual(status, 1, (shown, text))
        self.assertEqual(self.judge("```console\n$ printf 'b\\n'\n```\n")[0], 1)

    def test_other_status_fails(self):
        self.assertEqual(self.judge("```console\n$ false\n```\n")[0], 1)
        self.assertEqual(self.judge("```console\n$ (exit 4)\n? 4\n```\n")[0], 0)
        self.assertEqual(self.judge("```console\n$ true\n? 4\n```\n")[0], 1)

    def test_blocks_of_a_page_share_a_directory(self):
        page = "```console\n$ echo 1 > f\n```\n\ntext\n\n```console\n$ cat f\n1\n```\n"
        self.assertEqual(self.judge(page)[0], 0)

    def test_other_blocks_are_not_run(self):
        self.assertEqual(self.judge("```sh\n$ false\n```\n\n```console,noexec\n$ false\n```\n")[0], 0)


class Suites(unittest.TestCase):
    """A file of Autoconf's test language, as gnucobol_locks.py reads it."""

    ONE = ("# AT_SETUP([not this])\nAT_SETUP([a LOCK, of one])\nAT_KEYWORDS([b])\nAT_XFAIL_IF([true])\n\n"
           "AT_DATA([x.txt], [\none (1), [two]\n])\nAT_CHECK([cat x.txt], [0],\n[one (1), @<:@two@:>@\n])\n"
           "AT_CHECK([echo 3 >&2; exit 2], [2], [], [3\n])\nAT_CLEANUP\n")

    def judged(self, text):
        """Of each test its name, whether it is expected to fail, and what is wrong with it."""
        found = []
        for test in gnucobol_locks.tests_of(text):
            with tempfile.TemporaryDirectory() as directory:
                wrong = gnucobol_locks.run(test, pathlib.Path(directory), gnucobol_locks.settings(directory))
            found.append((test.name, test.xfail, wrong))
        return found

    def test_what_a_test_wants_is_compared(self):
        two = self.ONE.replace("of one", "of two").replace("AT_XFAIL_IF([true])\n", "")
        # Brackets within brackets stand for themselves.
        self.assertEqual(self.judged(self.ONE + two), [("a LOCK, of one", True, ""), ("a LOCK, of two", False, "")])
        for old, new, wrong in (
            ("(1), @<", "(2), @<", "one (1), [two]"),
            ("exit 2", "exit 1", "status 1: 3"),
            ("[3\n]", "[4\n]", "3"),
            ("echo 3", "echo 'CICA1204E no' >&2; echo 3", ""),
            ("echo 3", "echo 'CICA no' >&2; echo 3", "CICA no / 3"),
        ):
            self.assertEqual(self.judged(self.ONE.replace(old, new))[0][2], wrong, new)


class Histories(unittest.TestCase):
    """Histories of one record that share.py must believe, and such that it must not."""

    # Versions 1 and 2 are committed from 10 to 20 and from 40 to 50; it has version 2 with the amount 7.
    FIRST = ["I 1 10 A:1:+5", "A 1 20 A:1:+5"]
    SECOND = ["I 30 40 A:2:+7", "A 30 50 A:2:+7"]
    IN_DOUBT = ["I 30 40 A:2:+7", "F 30 0xc10"]

    def told(self, *journals, found=(7, 2)):
        """What is said of these journals; nothing where they can be."""
        try:
            history.History(journals).judge({"A": found})
        except history.Wrong as wrong:
            return str(wrong)
        return ""

    def read(self, *reads, second=tuple(SECOND), found=(7, 2)):
        """What is said where others read so meanwhile."""
        return self.told(self.FIRST, second, *([read] for read in reads), found=found)

    def test_reads_that_can_be_pass(self):
        for reads in (
            [],
            ["S 2 9 A:0:+100", "S 21 39 A:1:+5", "S 51 60 A:2:+7"],
            # At once with a commit either is right, as long as all see one after the other.
            ["S 12 18 A:0:+100", "S 12 18 A:1:+5"],
            ["S 41 42 A:1:+5", "S 43 49 A:2:+7"],
            ["S 41 45 A:2:+7", "S 44 49 A:1:+5"],
            ["S 5 45 A:0:+100", "S 5 45 A:2:+7"],
        ):
            self.assertEqual(self.read(*reads), "", reads)

    def test_a_stale_read_is_told(self):
        self.assertIn("a read of version 1 began after it, at 51", self.read("S 51 60 A:1:+5"))
        self.assertIn("the commit of version 1 ended at 20, and a read of version 0", self.read("S 21 60 A:0:+100"))

    def test_reads_that_go_backward_are_told(self):
        said = self.read("S 41 42 A:2:+7", "S 43 44 A:1:+5")
        self.assertEqual(said, "A: a read of version 2 ended at 42, and a read of version 1 began after it, at 43")
        # Also while the commit has no answer.
        self.assertIn("began after it", self.read("S 60 70 A:2:+7", "S 80 90 A:1:+5", second=self.IN_DOUBT))

    def test_a_read_of_what_is_not_committed_is_told(self):
        self.assertIn("the commit of version 2 began after it, at 40", self.read("S 31 39 A:2:+7"))
        # It was backed out, and another unit made the version with that number.
        self.assertIn("was read with 6, which was not committed", self.read("S 39 45 A:2:+6"))
        # Or none did.
        gone = {"second": ["R 30 50"], "found": (5, 1)}
        self.assertIn("not committed, or is lost", self.read("S 31 60 A:2:+7", **gone))
        self.assertEqual(self.read("S 31 60 A:1:+5", **gone), "")

    def test_a_unit_whose_client_died_in_its_commit_is_either_but_not_both(self):
        for second in (self.IN_DOUBT, self.IN_DOUBT[:1]):
            self.assertEqual(self.read("S 60 70 A:1:+5", "S 80 90 A:2:+7", second=second), "")
            self.assertEqual(self.read("S 60 70 A:1:+5", second=second, found=(5, 1)), "")
            self.assertIn("is lost", self.read("S 60 70 A:2:+7", second=second, found=(5, 1)))
            self.assertIn("the commit of version 2 began after it", self.read("S 31 39 A:2:+7", second=second))

    def test_a_repeatable_read_that_changes_is_told(self):
        self.assertEqual(self.read("T A:1:+5 A:1:+5"), "")
        self.assertIn("read again as A:2:+7", self.read("T A:1:+5 A:2:+7"))

    def test_updates_that_are_lost_are_told(self):
        self.assertIn("two units made version 2", self.told(self.FIRST, self.SECOND, [
            "I 31 41 A:2:+9", "A 31 51 A:2:+9"]))
        self.assertIn("nobody has made version 1", self.told(self.SECOND))
        self.assertIn("2 was answered", self.told(self.FIRST, self.SECOND, found=(5, 1)))
        self.assertIn("with 8, which no unit wrote", self.told(self.FIRST, self.SECOND, found=(8, 2)))
        early = ["I 1 3 A:2:+7", "A 1 4 A:2:+7"]
        self.assertIn("version 2 of A ended before an earlier one began", self.told(
            ["I 5 10 A:1:+5", "A 5 20 A:1:+5"], early))


class Mutants(unittest.TestCase):
    def test_a_file_is_looked_through_to_its_tests(self):
        source = "#[cfg(test)]\nmod tests;\nfn first() {\n    file.sync()?;\n}\n#[cfg(test)]\nmod more {\n    file.sync()?;\n}\n"
        _, found = mutants.mutate_file("src/of_nobody.rs", source)
        self.assertEqual([(mutant.line, mutant.takes_away) for mutant in found], [(4, "sync")])


class Tidy(unittest.TestCase):
    good = {
        "crates/format/Cargo.toml": '[package]\nname = "cica-format"\n',
        "crates/format/src/lib.rs": "//! Bytes.\n#![forbid(unsafe_code)]\n",
    }

    def broken_by(self, name, text):
        """The rules that a repository with one more file breaks."""
        with tempfile.TemporaryDirectory() as directory:
            status, output = tidy(dict(self.good, **{name: text}), directory)
        broken = {line.split()[1] for line in output.splitlines() if line.endswith("FAILED")}
        self.assertEqual(status, 1 if broken else 0, output)
        return broken

    def test_a_tidy_repository_passes(self):
        self.assertEqual(self.broken_by("README.md", "# Title\n[code](crates/format/src/lib.rs)\n"), set())

    def test_a_page_that_is_in_no_book_is_found(self):
        with tempfile.TemporaryDirectory() as directory:
            pages = {"docs/SUMMARY.md": "# Book\n[a](a.md)\n", "docs/a.md": "# A\n", "docs/b.md": "# B\n"}
            status, output = tidy(dict(self.good, **pages), directory)
        self.assertEqual((status, "book: docs/b.md" in output, "docs/a.md" in output), (1, True, False), output)

    def test_an_invariant_is_cited_where_it_can_be_found(self):
        def broken(cites, *stating):
            said = {f"crates/format/src/{name}.rs": "//! Role.\n//! * Q7. It is so.\n" for name in stating}
            cited = said.get("crates/format/src/a/c.rs", "//! Role.\n") + f"// for that reason ({cites})\n"
            with tempfile.TemporaryDirectory() as directory:
                output = tidy(self.good | said | {"crates/format/src/a/c.rs": cited}, directory)[1]
            return "\n  invariants: " in output

        for stating in (["b"], ["a/c", "b"], ["a/mod", "b"], ["a", "b"], ["lib", "b"]):
            self.assertFalse(broken("Q7", *stating), stating)
        self.assertTrue(broken("Q7", "b", "d/mod"))
        self.assertFalse(broken("b:Q7", "b", "d/mod") or broken("d:Q7", "b", "d/mod"))
        self.assertTrue(broken("d:Q8", "b", "d/mod"))

    def circle_in(self, modules):
        """What is said of the circle in a crate of these modules; nothing where there is none."""
        files = {f"crates/format/src/{name}.rs": f"//! Role.\n{text}\n" for name, text in modules.items()}
        with tempfile.TemporaryDirectory() as directory:
            status, output = tidy(dict(self.good, **files), directory)
        said = [line.removeprefix("  rooms: ") for line in output.splitlines() if line.startswith("  rooms:")]
        self.assertEqual((status, len(said)), (1, 1) if said else (0, 0), output)
        return "".join(said)

    def test_modules_that_need_one_another_are_named_with_a_file_for_each_use(self):
        modules = {"a": "use crate::{d, b::{c::X, Y}};", "b/c": "", "b": "mod c;\nfn f() { crate::d::g() }", "d": "use super::a::Z;"}
        ring = "a -> d (crates/format/src/a.rs), d -> a (crates/format/src/d.rs)"
        self.assertEqual(self.circle_in(modules), f"crates/format/src: modules need one another: {ring}")
        self.assertEqual(self.circle_in(modules | {"d": "use std::fmt;"}), "")
        for back in ("use crate::b::c::X as Y;", "pub(crate) use super::b;", "fn f() -> crate\n::a::Z;", "use crate::{self, e};"):
            self.assertIn("d ->", self.circle_in(modules | {"d": back, "e": "use crate::a;"}), back)
        # One floor down, and from a file two floors down.
        below = {"b/d": "use super::c;", "b/c/e": "use super::super::d::X;", "b": "mod c;\nmod d;"}
        self.assertIn("crates/format/src/b: modules need one another: c -> d", self.circle_in(modules | {"d": ""} | below))

    def test_what_is_handed_on_belongs_to_the_module_that_has_it(self):
        handed_on = {"lib": "#![forbid(unsafe_code)]\nmod a;\nmod b;\npub use a::X;", "a": "", "b": "use crate::X;"}
        self.assertEqual(self.circle_in(handed_on), "")
        self.assertIn("a -> b", self.circle_in(handed_on | {"a": "use crate::b::Y;"}))
        own = {"lib": handed_on["lib"] + "\npub struct Z;\nuse b::Y;", "b": "use crate::Z;"}
        self.assertIn("b -> lib", self.circle_in(handed_on | own))

    def test_tests_and_modules_within_a_file_make_no_circle(self):
        a = "use crate::b;\n"
        for b in (
            "#[cfg(test)]\nmod tests {\n    use crate::a;\n}",
            "#[cfg(all(test, unix))]\nmod tests {\n    fn f() {}\n    use crate::a;\n}",
            "#[cfg(test)]\nuse crate::a;",
            "// use crate::a;",
            "mod inner {\n    use super::a;\n}",
        ):
            self.assertEqual(self.circle_in({"a": a, "b": b, "b/tests": "use crate::a;"}), "", b)

    def test_each_rule_can_be_broken(self):
        head = "//! Role.\n"
        cases = [
            ("lengths", "crates/format/src/a.rs", head + "x\n" * 1001),
            ("lengths", "crates/format/src/a.rs", head + "// " + "x" * 118 + "\n"),
            ("finished", "crates/format/src/a.rs", head + "// TO" "DO\n"),
            ("finished", "crates/format/src/a.rs", head + "fn f() { to" "do!() }\n"),
            ("folding", "crates/qsam/src/a.rs", head + "fn f(s: &str) -> String { s.to_upper" "case() }\n"),
            ("folding", "crates/catalog/src/a.rs", head + "fn f(s: &str) -> &str { s.tr" "im() }\n"),
            ("portable", "docs/a.md", "see /wo" "rk/x\n"),
            ("ascii", "crates/format/src/a.rs", head + "// \u00e9\n"),
            ("ascii", "crates/format/src/a.rs", head + "fn a() {} \n"),
            ("heads", "crates/format/src/a.rs", "fn a() {}\n"),
            ("runs", "checks/a.py", "#!/usr/bin/env python3\n"),
            ("links", "docs/a.md", "[there](nowhere.md)\n"),
            ("floors", "crates/disk/Cargo.toml", '[package]\nname = "cica-disk"\n[dependencies]\ncica-format = "1"\n'),
            ("floors", "crates/new/Cargo.toml", '[package]\nname = "cica-new"\n'),
            ("features", "crates/disk/Cargo.toml", '[package]\nname = "cica-disk"\na = { workspace = true, features = ["b"] }\n'),
            ("unsafe", "crates/qsam/src/lib.rs", "//! Role.\n"),
            ("thrown", "crates/format/src/a.rs", head + "fn a() {\n    let b = 1;\n    c(b);\n    let d = 2;\n    let _ = e(d);\n}\n"),
            ("thrown", "crates/format/src/a.rs", head + "\n\n\n\n    e().ok();\n"),
            ("seam", "crates/catalog/src/a.rs", head + "use std" "::fs;\n"),
            ("seam", "crates/engine/src/a.rs", head + "fn f() { Instant" "::now(); }\n"),
            ("invariants", "crates/format/src/a.rs", head + "// as it was before (Q7)\n"),
            ("invariants", "crates/format/src/a.rs", head + "//! * Q7. It is so.\n\n// see b:Q7\n"),
            ("waiting", "crates/disk/src/a.rs", head + "    static A: OnceLock<()> = OnceLock::new();\n"),
        ]
        for rule, name, text in cases:
            self.assertEqual(self.broken_by(name, text), {rule}, (rule, name))


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=0).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"checks result: {outcome.testsRun - bad} passed; {bad} failed")
    sys.exit(1 if bad else 0)
