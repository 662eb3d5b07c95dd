//! Compiles rules to SQL. The contact's row is named `c`; every value is a parameter.

use frontdesk_db::{Query, ReadTx};
use frontdesk_kernel::{Id, Phone, Timestamp};

use super::rule::{Field, Op, Operand, Rule};
use super::{Match, Segment};
use crate::custom_fields::{FieldId, FieldType};

/// Adds the condition that a contact is in the segment.
pub fn condition(tx: &ReadTx<'_>, segment: &Segment, query: &mut Query, now: Timestamp) {
    let between = match segment.r#match {
        Match::All => " AND ",
        Match::Any => " OR ",
    };
    query.push("(");
    for (at, rule) in segment.rules.iter().enumerate() {
        if at > 0 {
            query.push(between);
        }
        Compiler { query, tx, now }.rule(rule);
    }
    query.push(")");
}

/// Marks the id of a contact. Contacts are above segments.
enum ContactRow {}
type ContactId = Id<ContactRow>;

struct Compiler<'q, 'c> {
    query: &'q mut Query,
    tx: &'q ReadTx<'c>,
    now: Timestamp,
}

impl Compiler<'_, '_> {
    fn rule(&mut self, rule: &Rule) {
        // Rules on date fields are recognised by their op; every other rule was checked when it was written.
        let custom = matches!(rule.op, Op::Before | Op::After | Op::WithinDays).then_some(FieldType::Date);
        let Ok(operand) = rule.operand(custom) else {
            self.query.push("1 = 0");
            return;
        };
        match rule.field {
            Field::Name => self.text("c.name", rule.op, &operand),
            Field::Company => self.text("c.company", rule.op, &operand),
            Field::Email => self.text("c.email", rule.op, &operand),
            Field::Phone => self.phone(rule.op, &operand),
            Field::Tag => self.tag(rule.op, &operand),
            Field::Channel => self.channel(rule.op, &operand),
            Field::Custom(id) => self.custom(id, rule.op, &operand),
            Field::CreatedAt => self.created_at(rule.op, &operand),
            Field::LastInboundAt => self.moment("c.last_inbound_at", rule.op, &operand),
            Field::OptedOut => {
                let out = matches!(operand, Operand::Flag(true)) == (rule.op == Op::Is);
                self.query.push(if out { "c.opted_out_at IS NOT NULL" } else { "c.opted_out_at IS NULL" });
            }
        }
    }

    /// Text is compared without case. `is_not` also matches unset values.
    fn text(&mut self, column: &str, op: Op, operand: &Operand) {
        match (op, operand) {
            (Op::IsSet, _) => {
                self.query.push(column).push(" IS NOT NULL");
            }
            (Op::IsNot, Operand::Text(_)) => {
                self.query.push("(").push(column).push(" IS NULL OR NOT ");
                self.text(column, Op::Is, operand);
                self.query.push(")");
            }
            (_, Operand::Text(text)) => {
                let folded = text.to_lowercase();
                self.query.push(&self.tx.fold(column));
                match op {
                    Op::Contains => self.like(&format!("%{}%", escaped(&folded))),
                    Op::StartsWith => self.like(&format!("{}%", escaped(&folded))),
                    _ => {
                        self.query.push(" = ").bind(folded);
                    }
                }
            }
            _ => {
                self.query.push(column).push(" IS NULL");
            }
        }
    }

    fn like(&mut self, pattern: &str) {
        self.query.push(" LIKE ").bind(pattern.to_owned()).push(" ESCAPE '\\'");
    }

    /// A complete number is compared as a phone number; a part of one by its digits.
    fn phone(&mut self, op: Op, operand: &Operand) {
        match (op, operand) {
            (Op::Is, Operand::Text(text)) => match text.parse::<Phone>() {
                Ok(phone) => {
                    self.query.push("c.phone_key = ").bind(phone.key());
                }
                Err(_) => {
                    self.query.push("1 = 0");
                }
            },
            (Op::IsNot, Operand::Text(_)) => {
                self.query.push("(c.phone_key IS NULL OR NOT ");
                self.phone(Op::Is, operand);
                self.query.push(")");
            }
            (Op::Contains | Op::StartsWith, Operand::Text(text))
                if text.contains(|c: char| c.is_ascii_digit()) =>
            {
                let digits: String = text.chars().filter(char::is_ascii_digit).collect();
                self.query.push("c.phone");
                let before = if op == Op::Contains { "%" } else { "+" };
                self.like(&format!("{before}{digits}%"));
            }
            _ => self.text("c.phone", op, operand),
        }
    }

    fn tag(&mut self, op: Op, operand: &Operand) {
        self.negated(op).push(
            "EXISTS (SELECT 1 FROM contact_tags t WHERE t.account_id = c.account_id AND t.contact_id = c.id",
        );
        if let Operand::Tag(tag) = operand {
            self.query.push(" AND t.tag_id = ").bind(*tag);
        }
        self.query.push(")");
    }

    fn channel(&mut self, op: Op, operand: &Operand) {
        self.negated(op).push("EXISTS (SELECT 1 FROM contact_channels h WHERE h.account_id = c.account_id AND h.contact_id = c.id");
        if let Operand::Channel(channel) = operand {
            self.query.push(" AND h.channel = ").bind(channel.as_str().to_owned());
        }
        self.query.push(")");
    }

    fn custom(&mut self, field: FieldId, op: Op, operand: &Operand) {
        self.negated(op).push("EXISTS (SELECT 1 FROM contact_values v WHERE v.account_id = c.account_id AND v.contact_id = c.id AND v.field_id = ");
        self.query.bind(field);
        match operand {
            Operand::None => {}
            Operand::Moment(moment) => {
                let sign = if op == Op::Before { " < " } else { " > " };
                self.date(sign, *moment);
            }
            Operand::Days(days) => {
                self.date(" >= ", self.now.minus_days(*days));
                self.date(" <= ", self.now);
            }
            operand => {
                self.query.push(" AND ");
                let asked = if op == Op::IsNot { Op::Is } else { op };
                self.text("v.value", asked, operand);
            }
        }
        self.query.push(")");
    }

    /// Dates are stored as `2026-01-31`, which sorts correctly as text.
    fn date(&mut self, sign: &str, moment: Timestamp) {
        let mut day = moment.to_string();
        day.truncate("2026-01-31".len());
        self.query.push(" AND ").push(&self.tx.bytewise("v.value")).push(sign).bind(day);
    }

    /// The creation time of a contact is in its id.
    fn created_at(&mut self, op: Op, operand: &Operand) {
        match (op, operand) {
            (Op::Before, Operand::Moment(moment)) => {
                self.query.push("c.id < ").bind(ContactId::first_at(*moment));
            }
            (Op::After, Operand::Moment(moment)) => {
                let next = Timestamp::from_millis(moment.millis() + 1);
                self.query.push("c.id >= ").bind(ContactId::first_at(next));
            }
            (_, Operand::Days(days)) => {
                self.query.push("c.id >= ").bind(ContactId::first_at(self.now.minus_days(*days)));
            }
            _ => {
                self.query.push(if op == Op::IsSet { "1 = 1" } else { "1 = 0" });
            }
        }
    }

    fn moment(&mut self, column: &str, op: Op, operand: &Operand) {
        self.query.push(column);
        match (op, operand) {
            (Op::Before, Operand::Moment(moment)) => self.query.push(" < ").bind(*moment),
            (Op::After, Operand::Moment(moment)) => self.query.push(" > ").bind(*moment),
            (_, Operand::Days(days)) => self.query.push(" >= ").bind(self.now.minus_days(*days)),
            _ => self.query.push(if op == Op::IsSet { " IS NOT NULL" } else { " IS NULL" }),
        };
    }

    fn negated(&mut self, op: Op) -> &mut Query {
        if matches!(op, Op::IsNot | Op::IsNotSet) {
            self.query.push("NOT ");
        }
        self.query
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}
