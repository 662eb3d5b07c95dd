//! A statement built from parts, for lists with optional filters.

use crate::value::Param;

/// SQL text with its parameters, built together so that they always match.
pub struct Query {
    sql: String,
    params: Vec<OwnedParam>,
}

/// An owned parameter.
pub type OwnedParam = Box<dyn Param + Send>;

impl Query {
    pub fn new(sql: &str) -> Self {
        Self { sql: sql.to_owned(), params: Vec::new() }
    }

    /// A complete statement with its parameters.
    pub fn whole(sql: &str, params: Vec<OwnedParam>) -> Self {
        Self { sql: sql.to_owned(), params }
    }

    /// Adds SQL text, which is the program's own and never a caller's.
    pub fn push(&mut self, sql: &str) -> &mut Self {
        self.sql.push_str(sql);
        self
    }

    /// Adds a parameter and its placeholder.
    pub fn bind(&mut self, param: impl Param + Send + 'static) -> &mut Self {
        self.params.push(Box::new(param));
        self.sql.push('$');
        self.sql.push_str(&self.params.len().to_string());
        self
    }

    /// Adds `(…)` with the values of a list, which must not be empty. The list is padded to a power of two
    /// with its last value, so that lists of any length share a few prepared statements.
    pub fn bind_list<P: Param + Clone + Send + 'static>(&mut self, values: &[P]) -> &mut Self {
        self.sql.push('(');
        for at in 0..values.len().next_power_of_two() {
            if at > 0 {
                self.sql.push_str(", ");
            }
            self.bind(values[at.min(values.len() - 1)].clone());
        }
        self.sql.push(')');
        self
    }

    /// The number of rows that this query finds, up to its LIMIT.
    pub fn counted(self) -> Self {
        Self { sql: format!("SELECT count(*) FROM ({}) counted", self.sql), params: self.params }
    }

    pub fn sql(&self) -> &str {
        &self.sql
    }

    pub(crate) fn params(&self) -> Vec<&dyn Param> {
        self.params.iter().map(|param| &**param as &dyn Param).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_follow_their_parameters() {
        let mut query = Query::new("SELECT 1 WHERE a = ");
        query.bind(1_i64).push(" AND b IN ").bind_list(&[1_i64, 2, 3]).push(" AND c = ").bind("x".to_owned());
        assert_eq!(query.sql(), "SELECT 1 WHERE a = $1 AND b IN ($2, $3, $4, $5) AND c = $6");
        assert_eq!(query.params().len(), 6);
        let counted = Query::whole("SELECT a FROM b LIMIT 3", Vec::new()).counted();
        assert_eq!(counted.sql(), "SELECT count(*) FROM (SELECT a FROM b LIMIT 3) counted");
    }
}
