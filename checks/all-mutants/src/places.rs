//! Where in a file a mutant may stand: the expressions, arms and bodies that are run, by where cargo-mutants says that
//! they are.

use crate::weave::Weave;
use crate::{Mutant, Place};
use proc_macro2::Span;
use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Begin and end.
type Range = (Place, Place);

/// The places of a file.
#[derive(Default)]
pub struct Places {
    /// First statement of a body.
    bodies: BTreeMap<Place, ()>,
    /// By where an operator of two sides stands: the outermost chain of such operators around it.
    chains: BTreeMap<Place, Range>,
    /// By where an operator of one side stands: all of it, and what it applies to.
    unary: BTreeMap<Place, (Range, Range)>,
    /// By where an arm begins: its guard, or the end of its pattern.
    arms: BTreeMap<Place, Result<Range, Place>>,
    guards: BTreeMap<Place, Range>,
    /// By where a field of a structure's expression begins: its value (none: it is its name), the name, and the
    /// structure from which the others come.
    fields: BTreeMap<Place, (Option<Range>, Range, Range)>,
    /// The chain of operators that is being visited.
    chain: Option<Range>,
}

fn at(place: proc_macro2::LineColumn) -> Place {
    (place.line, place.column + 1)
}

fn range(span: Span) -> Range {
    (at(span.start()), at(span.end()))
}

impl Places {
    /// Those of a file.
    pub fn of(file: &syn::File) -> Places {
        let mut places = Places::default();
        places.visit_file(file);
        places
    }

    /// Puts a mutant in, if there is a place for it.
    pub fn put_in(&self, mutant: &Mutant, weave: &mut Weave) {
        let Mutant {
            number,
            replacement,
            from,
            to,
            ..
        } = mutant;
        match mutant.genre.as_str() {
            "FnValue" if self.bodies.contains_key(from) => weave.before(*from, *number, replacement),
            "BinaryOperator" => {
                if let Some(chain) = self.chains.get(from) {
                    let (before, after) = (weave.text((chain.0, *from)), weave.text((*to, chain.1)));
                    weave.instead(*chain, *number, &format!("{before}{replacement}{after}"));
                }
            }
            "UnaryOperator" => {
                if let Some((all, of)) = self.unary.get(from) {
                    let text = weave.text(*of);
                    weave.instead(*all, *number, &text);
                }
            }
            "MatchArmGuard" => {
                if let Some(guard) = self.guards.get(from) {
                    weave.instead(*guard, *number, replacement);
                }
            }
            "MatchArm" => match self.arms.get(from) {
                Some(Ok(guard)) => weave.instead(*guard, *number, "false"),
                Some(Err(pattern_end)) => weave.guard(*pattern_end, *number),
                None => {}
            },
            "StructField" => {
                if let Some((value, name, rest)) = self.fields.get(from) {
                    let (name_text, rest) = (weave.text(*name), weave.text(*rest));
                    if value.is_none() {
                        weave.name_field(*name, &name_text);
                    }
                    weave.instead(value.unwrap_or(*name), *number, &format!("({rest}).{name_text}"));
                }
            }
            _ => {}
        }
    }

    /// Visits what is no part of the chain of operators around it.
    fn apart(&mut self, work: impl FnOnce(&mut Self)) {
        let chain = self.chain.take();
        work(self);
        self.chain = chain;
    }
}

impl<'a> Visit<'a> for Places {
    // What the compiler computes.
    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'a syn::TraitItemConst) {}
    fn visit_item_static(&mut self, _: &'a syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'a syn::ItemEnum) {}
    fn visit_type(&mut self, _: &'a syn::Type) {}
    fn visit_generic_argument(&mut self, _: &'a syn::GenericArgument) {}
    fn visit_pat(&mut self, _: &'a syn::Pat) {}
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        if function.sig.constness.is_none() {
            self.body(&function.block);
            visit::visit_block(self, &function.block);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            self.body(&function.block);
            visit::visit_block(self, &function.block);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'a syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.body(block);
            visit::visit_block(self, block);
        }
    }

    fn visit_expr(&mut self, expr: &'a syn::Expr) {
        match expr {
            syn::Expr::Binary(binary) => {
                let outermost = self.chain.is_none();
                let chain = *self.chain.get_or_insert(range(expr.span()));
                self.chains.insert(at(binary.op.span().start()), chain);
                self.visit_expr(&binary.left);
                self.visit_expr(&binary.right);
                if outermost {
                    self.chain = None;
                }
            }
            _ => self.apart(|places| visit::visit_expr(places, expr)),
        }
    }

    fn visit_expr_unary(&mut self, unary: &'a syn::ExprUnary) {
        self.unary.insert(
            at(unary.op.span().start()),
            (range(unary.span()), range(unary.expr.span())),
        );
        visit::visit_expr_unary(self, unary);
    }

    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        let place = match &arm.guard {
            Some((_, guard)) => {
                self.guards.insert(at(guard.span().start()), range(guard.span()));
                Ok(range(guard.span()))
            }
            None => Err(at(arm.pat.span().end())),
        };
        self.arms.insert(at(arm.span().start()), place);
        visit::visit_arm(self, arm);
    }

    fn visit_expr_struct(&mut self, structure: &'a syn::ExprStruct) {
        if let Some(rest) = &structure.rest {
            for field in &structure.fields {
                let name = range(field.member.span());
                let value = field.colon_token.map(|_| range(field.expr.span()));
                self.fields
                    .insert(at(field.span().start()), (value, name, range(rest.span())));
            }
        }
        visit::visit_expr_struct(self, structure);
    }
}

impl Places {
    fn body(&mut self, block: &syn::Block) {
        if let Some(first) = block.stmts.first() {
            self.bodies.insert(at(first.span().start()), ());
        }
    }
}
