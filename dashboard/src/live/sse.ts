/** Parses a server-sent event stream, chunk by chunk, as the HTML standard defines it. */
export interface StreamEvent {
  /** The id to resume from. Undefined when the event carries none. */
  id: string | undefined;
  type: string;
  data: string;
}

export class StreamParser {
  private rest = '';
  private skipLineFeed = false;
  private type = '';
  private data: string[] = [];
  private id: string | undefined;

  /** The events that this chunk completes. */
  push(chunk: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    let text = this.rest + chunk;
    if (this.skipLineFeed && text.startsWith('\n')) text = text.slice(1);
    if (text !== '') this.skipLineFeed = false;
    let start = 0;
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at];
      if (character !== '\n' && character !== '\r') continue;
      this.line(text.slice(start, at), events);
      if (character === '\r') {
        if (at + 1 === text.length) this.skipLineFeed = true;
        else if (text[at + 1] === '\n') at += 1;
      }
      start = at + 1;
    }
    this.rest = text.slice(start);
    return events;
  }

  private line(line: string, events: StreamEvent[]): void {
    if (line === '') {
      if (this.data.length > 0) {
        events.push({ id: this.id, type: this.type || 'message', data: this.data.join('\n') });
      }
      this.type = '';
      this.data = [];
      this.id = undefined;
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.type = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
  }
}
