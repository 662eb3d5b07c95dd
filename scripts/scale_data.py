"""The messages that scripts/scale generates: texts, conversations, tables and their indexes."""
import itertools
import random
import shutil
import sys
import time

from scale_programs import say

ACCOUNT_MESSAGES = 10_000
BIG_SHARE = 100
MONTHS = 24
MONTH_MILLIS = 30 * 86_400_000
HASH_PARTS = 16
TEXTS = 100_000
# Conversations of an account that are going on at the same time, and the messages of the account meanwhile.
AT_ONCE, BLOCK = 20, 1_000
# One message in so many goes to the account's longest conversation.
DEEP_EVERY = 10
DEEP = 999_999
# What --indexed leaves out.
PARTIAL = ["messages_search", "messages_channel_key"]
DISK_FREE_MIN = 8 << 30


def words():
    """Five thousand words, made of syllables; some are common and most are rare."""
    chance = random.Random(7)
    begin = ["", *"bcdfghjklmnprstvwz", "br", "ch", "cl", "dr", "fl", "gr", "pl", "pr", "sh", "st", "tr", "th"]
    end = ["", "", "", *"dklmnrstx", "ck", "nd", "ng", "nt", "rd", "rm", "st"]
    found = set()
    while len(found) < 5_000:
        parts = chance.choices([1, 2, 3], [2, 5, 2])[0]
        found.add("".join(chance.choice(begin) + chance.choice("aeiouy") + chance.choice(end) for _ in range(parts)))
    found = sorted(found)
    chance.shuffle(found)
    return chance, found, list(itertools.accumulate(1 / (place + 3) for place in range(len(found))))


def texts():
    chance, known, weights = words()
    for number in range(TEXTS):
        text = " ".join(chance.choices(known, cum_weights=weights, k=24))[: chance.randint(45, 80)]
        yield f"{number}\t{'please ' if chance.random() < 0.2 else ''}{text}\n"


class Data:
    """Generated rows: accounts, their conversations, and messages over two years that end now."""

    def __init__(self, postgres, messages, partitions, indexed):
        self.postgres, self.messages, self.partitions, self.indexed = postgres, messages, partitions, indexed
        self.end = int(time.time() * 1000)
        self.begin = self.end - MONTHS * MONTH_MILLIS
        self.small = max(1, messages // ACCOUNT_MESSAGES)
        self.bounds = [self.begin + month * MONTH_MILLIS for month in range(MONTHS + 1)]

    def prepare(self, big, small):
        """The functions and tables that rows are generated with. Accounts from 2 on have rows of messages alone."""
        sql = self.postgres.sql
        sql(
            """CREATE SCHEMA scale;
            CREATE FUNCTION scale.id_at(ms bigint, tail bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
            $$ SELECT (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(tail), 12, '0'))::uuid $$;
            CREATE TABLE scale.texts (n int NOT NULL, text text NOT NULL);
            CREATE TABLE scale.accounts (n bigint NOT NULL, account_id uuid NOT NULL, connection_id uuid NOT NULL, messages bigint NOT NULL)"""
        )
        sql("COPY scale.texts FROM STDIN", "".join(texts()))
        per_small = (self.messages - self.messages // BIG_SHARE) // self.small
        sql(
            f"""INSERT INTO scale.accounts VALUES (0, '{big['id']}', '{big['connection']}', {self.messages // BIG_SHARE}),
                (1, '{small['id']}', '{small['connection']}', {per_small});
            INSERT INTO scale.accounts SELECT n, scale.id_at({self.begin} - n, n), scale.id_at({self.begin} - n, n + 1), {per_small}
                FROM generate_series(2, {self.small}) n;
            ANALYZE scale.texts; ANALYZE scale.accounts"""
        )

    def conversation(self, block, slot, account, messages):
        """The id of a conversation, as SQL: it begins with the first message of its block."""
        return f"""scale.id_at({self.begin} + ({block}) * {BLOCK} * {self.end - self.begin} / {messages},
            ({account}) * 1000000 + ({slot}))"""

    def fill_conversations(self):
        """Conversations of all accounts; contacts and their numbers of the two that are asked."""
        sql = self.postgres.sql
        deep = f"SELECT a.*, 0::bigint AS block, {DEEP}::bigint AS slot FROM scale.accounts a"
        usual = f"""SELECT a.*, b AS block, b * {AT_ONCE} + s AS slot FROM scale.accounts a,
            generate_series(0::bigint, (a.messages - 1) / {BLOCK}) b, generate_series(0, {AT_ONCE} - 1) s"""
        conversation = self.conversation("block", "slot", "n", "messages")
        contact = f"scale.id_at({self.begin} + block, n * 1000000 + slot)"
        sql(
            f"""CREATE UNLOGGED TABLE scale.threads AS SELECT account_id, connection_id, n, slot, {conversation} AS conversation_id,
                {contact} AS contact_id, block, messages FROM ({deep} UNION ALL {usual}) every;
            INSERT INTO conversations (account_id, id, contact_id, channel, connection_id, status, handler, unread_count,
                last_message_at, last_message_text, last_inbound_at, updated_at, opened_at, heard_at)
            SELECT account_id, conversation_id, contact_id, 'whatsapp', connection_id, CASE WHEN slot % 4 = 0 THEN 'open' ELSE 'closed' END,
                'human', slot % 3 % 2, at, 'the last message', now(), at, at, now()
            FROM (SELECT *, CASE WHEN slot = {DEEP} THEN now()
                ELSE to_timestamp(({self.begin} + (block + 1) * {BLOCK} * {self.end - self.begin} / messages) / 1000.0) END AS at
                FROM scale.threads) every;
            INSERT INTO contacts (account_id, id, seq, name, phone, phone_key, updated_at)
            SELECT account_id, contact_id, slot, 'Contact ' || slot, '+1415' || (5000000 + slot), '1415' || (5000000 + slot), now()
                FROM scale.threads WHERE n < 2;
            INSERT INTO identities (account_id, connection_id, person, contact_id)
            SELECT account_id, connection_id, '1415' || (5000000 + slot), contact_id FROM scale.threads WHERE n < 2;
            ANALYZE conversations; ANALYZE contacts; ANALYZE identities"""
        )

    def rows(self, into, first, last):
        """Inserts the messages of a range of numbers."""
        usual = self.conversation(f"k / {BLOCK}", f"k / {BLOCK} * {AT_ONCE} + k * 7919 % {AT_ONCE}", "a", "messages")
        deep = self.conversation("0", DEEP, "a", "messages")
        self.postgres.sql(
            f"""INSERT INTO {into} (account_id, id, conversation_id, connection_id, direction, sender_type, type, text, status,
                channel_message_id, status_changes)
            SELECT e.account_id, scale.id_at({self.begin} + g * {self.end - self.begin} / {self.messages}, g),
                CASE WHEN k % {DEEP_EVERY} = 9 THEN {deep} ELSE {usual} END, e.connection_id,
                CASE WHEN k % 2 = 0 THEN 'inbound' ELSE 'outbound' END, CASE WHEN k % 2 = 0 THEN 'customer' ELSE 'agent' END, 'text',
                CASE WHEN k % 10 = 0 THEN 'order ' || 100000000 + g || ' ' || text ELSE text END,
                CASE WHEN k % 2 = 0 THEN 'delivered' ELSE 'read' END, 'wamid.' || to_hex(g * 7919), CASE WHEN k % 2 = 0 THEN 0 ELSE 3 END
            FROM (SELECT g, CASE WHEN g % {BIG_SHARE} = 0 THEN 0 ELSE 1 + (g - g / {BIG_SHARE} - 1) % {self.small} END AS a,
                    CASE WHEN g % {BIG_SHARE} = 0 THEN g / {BIG_SHARE} ELSE (g - g / {BIG_SHARE} - 1) / {self.small} END AS k
                FROM generate_series({first}::bigint, {last - 1}::bigint) g) numbered
            JOIN scale.accounts e ON e.n = a JOIN scale.texts t ON t.n = g * 7919 % {TEXTS}"""
        )

    def split(self):
        """Replaces the table of messages by one in parts. Returns the tables to fill, which are not in the log of changes: that
        would take as much disk again."""
        sql, parts = self.postgres.sql, []
        if self.partitions == "none":
            sql("ALTER TABLE messages SET UNLOGGED")
            return ["messages"]
        by = "RANGE (id)" if self.partitions == "time" else "HASH (account_id)"
        text = f"""ALTER TABLE messages RENAME TO messages_whole;
            CREATE TABLE messages (LIKE messages_whole INCLUDING DEFAULTS) PARTITION BY {by};"""
        if self.partitions == "account":
            for part in range(HASH_PARTS):
                text += f"CREATE UNLOGGED TABLE messages_p{part:02} PARTITION OF messages FOR VALUES WITH (MODULUS {HASH_PARTS}, REMAINDER {part});"
                parts.append(f"messages_p{part:02}")
        else:
            ids = ["MINVALUE", *(f"'{bound:012x}00000000000000000000'" for bound in self.bounds[1:-1]), "MAXVALUE"]
            for part in range(MONTHS):
                text += f"CREATE UNLOGGED TABLE messages_p{part:02} PARTITION OF messages FOR VALUES FROM ({ids[part]}) TO ({ids[part + 1]});"
                parts.append(f"messages_p{part:02}")
        sql(text + "DROP TABLE messages_whole")
        return parts

    def fill(self):
        """Messages first, then the indexes that the migrations made, by their own definitions."""
        sql = self.postgres.sql
        primary = "ALTER TABLE messages DROP CONSTRAINT messages_pkey"
        indexes = sql("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'messages' ORDER BY indexname = 'messages_search', 1")
        sql(primary + "".join(f"; DROP INDEX {name}" for name, _ in indexes if name != "messages_pkey"))
        parts = self.split()
        began = time.time()
        # A part of the rows at a time; by time, each goes to its own partition.
        for month in range(MONTHS):
            self.leave_room()
            first, last = (-(-self.messages * edge // MONTHS) for edge in (month, month + 1))
            self.rows(parts[month] if self.partitions == "time" else "messages", first, last)
            if month % 6 == 5:
                say(f"{last:,} messages after {time.time() - began:.0f} s")
        loaded, took = time.time() - began, {}
        for name, definition in indexes:
            began = time.time()
            is_partial = name in PARTIAL and self.partitions == "time"
            # Keys of the whole table, which the program's insert needs, have to contain what it is partitioned by.
            wanted = parts[-self.indexed :] if is_partial else parts if self.partitions == "time" else ["messages"]
            for part in reversed(wanted):
                self.leave_room()
                sql(definition.replace(name, f"{part}_{name}" if part != "messages" else name, 1).replace("public.messages ", f"public.{part} ", 1))
            took[name] = round(time.time() - began)
            say(f"{name} took {took[name]} s")
        sql("ANALYZE messages")
        return {"load_seconds": round(loaded), "index_seconds": took}

    def leave_room(self):
        """Ends the run while others on this machine still have disk left."""
        if shutil.disk_usage(self.postgres.data).free < DISK_FREE_MIN:
            sys.exit("scale: the disk is nearly full: ask for fewer messages")

    def sizes(self):
        """Bytes of the table and of each of its indexes, over all parts."""
        rows = self.postgres.sql(
            """SELECT CASE WHEN c.relkind = 'r' THEN 'table' ELSE regexp_replace(c.relname, '^messages_p[0-9]+_', '') END, sum(pg_relation_size(c.oid))
            FROM pg_class c LEFT JOIN pg_index x ON x.indexrelid = c.oid
            WHERE c.relkind IN ('r', 'i') AND coalesce(x.indrelid, c.oid)::regclass::text ~ '^messages(_p[0-9]+)?$' GROUP BY 1 ORDER BY 1"""
        )
        return {name: int(size) for name, size in rows}
