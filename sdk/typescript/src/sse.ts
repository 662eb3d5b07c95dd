/** A message of an event stream. Comments are messages without data. */
export interface ServerSentEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Reads messages from the text of an event stream, which arrives in pieces. */
export class SseParser {
  #rest = "";
  #lines: string[] = [];

  /** The messages that this piece completes. */
  push(piece: string): ServerSentEvent[] {
    const found: ServerSentEvent[] = [];
    const text = this.#rest + piece;
    // A carriage return at the end may be the first half of a line break.
    const usable = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines = text.slice(0, usable).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? "") + text.slice(usable);
    for (const line of lines) {
      if (line !== "") {
        this.#lines.push(line);
      } else if (this.#lines.length > 0) {
        found.push(message(this.#lines));
        this.#lines = [];
      }
    }
    return found;
  }
}

function message(lines: string[]): ServerSentEvent {
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
  });
  const last = (name: string) => fields.findLast(([field]) => field === name)?.[1];
  const data = fields.filter(([field]) => field === "data").map(([, value]) => value);
  return { id: last("id"), event: last("event") ?? "message", data: data.join("\n") };
}
