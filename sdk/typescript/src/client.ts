import { Resources } from "./generated/resources.js";
import { type ClientOptions, type RateLimit, Transport } from "./transport.js";

/** A client of one account. It holds no connection and needs no closing. */
export class Frontdesk extends Resources {
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
  }

  /** The key's budget, as the last response told it; undefined before the first. */
  get rateLimit(): RateLimit | undefined {
    return this.#transport.rateLimit;
  }
}
