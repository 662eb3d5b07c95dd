//! The statements of AI spend.

frontdesk_db::statements! {
    OPEN_MONTH = "INSERT INTO ai_months (account_id, month, spent_micros, reserved_micros, warned) VALUES ($1, $2, 0, 0, false)
        ON CONFLICT (account_id, month) DO NOTHING";
    MONTH = "SELECT spent_micros, reserved_micros, warned FROM ai_months WHERE account_id = $1 AND month = $2";
    SET_MONTH = "UPDATE ai_months SET spent_micros = $3, reserved_micros = $4, warned = $5 WHERE account_id = $1 AND month = $2";
    RESERVE = "INSERT INTO ai_calls (account_id, id, run_id, assistant_id, model, month, day, state, reserved_micros, cost_micros,
        tokens_in, tokens_out) VALUES ($1, $2, $3, $4, $5, $6, $7, 'reserved', $8, 0, 0, 0)";
    SETTLE = "UPDATE ai_calls SET state = 'settled', cost_micros = $3, tokens_in = $4, tokens_out = $5
        WHERE account_id = $1 AND id = $2 AND state = 'reserved'";
    LOST = "SELECT account_id, id, run_id, assistant_id, model, month, day, reserved_micros FROM ai_calls
        WHERE account_id = $1 AND run_id = $2 AND state = 'reserved' ORDER BY id";
    STALE = "SELECT account_id, id, run_id, assistant_id, model, month, day, reserved_micros FROM ai_calls
        WHERE state = 'reserved' AND id < $1 LIMIT $2";
    ADD_TO_DAY = "INSERT INTO ai_days (account_id, day, model, assistant_id, calls, tokens_in, tokens_out, cost_micros)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account_id, day, model, assistant_id) DO UPDATE SET
        calls = ai_days.calls + excluded.calls, tokens_in = ai_days.tokens_in + excluded.tokens_in,
        tokens_out = ai_days.tokens_out + excluded.tokens_out, cost_micros = ai_days.cost_micros + excluded.cost_micros";

    /// A walk over the calls of the days, whose rows are short.
    DEAREST = "SELECT run_id FROM ai_calls WHERE account_id = $1 AND id >= $2 AND id < $3 AND day >= $4 AND day <= $5 AND cost_micros > 0
        GROUP BY run_id ORDER BY sum(cost_micros) DESC, run_id LIMIT $6";
    DAYS = "SELECT day, model, assistant_id, calls, tokens_in, tokens_out, cost_micros FROM ai_days
        WHERE account_id = $1 AND day >= $2 AND day <= $3 ORDER BY day, model, assistant_id";
    SPENT = "SELECT spent_micros FROM ai_months WHERE account_id = $1 AND month = $2";
}
