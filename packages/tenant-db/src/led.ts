import pg from 'pg';

/** A statement with its parameters; the name under which a connection keeps its plan is given by the pool. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** What `Led` uses of pg's connection. */
interface Wire {
  parse(statement: { text: string; name?: string; types?: unknown }): void;
  bind(given: object): void;
  execute(given: object): void;
  submittedNamedStatements: Record<string, string>;
}

/** What `Led` uses of pg's own query, as pg 8 has it. */
interface WireQuery {
  text: string;
  name?: string;
  types?: unknown;
  hasBeenParsed(connection: Wire): boolean;
  prepare(connection: Wire): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Wire): void;
}

const PgQuery = pg.Query as unknown as new (config: object) => pg.Query & WireQuery;

/**
 * A query with statements ahead of it, sent together and answered together: one round trip instead of several. When one
 * fails PostgreSQL skips the rest up to the end of the group (manual, "Extended Query": Sync), so a query never runs
 * without what leads it.
 */
export class Led extends PgQuery {
  readonly #ahead: readonly string[];
  #left: number;

  constructor(config: object, ahead: readonly string[]) {
    super({ ...config, queryMode: 'extended' });
    this.#ahead = ahead;
    this.#left = ahead.length;
  }

  /** Whether all that is ahead of the query was done. */
  get isLed(): boolean {
    return this.#left === 0;
  }

  override prepare(connection: Wire): void {
    // First, so that pg, which counts a query's statements as parsed at the first answer, counts right.
    if (this.name && !this.hasBeenParsed(connection)) {
      connection.parse({ text: this.text, name: this.name, types: this.types });
      connection.submittedNamedStatements[this.name] = this.text;
    }
    for (const text of this.#ahead) {
      connection.parse({ text });
      connection.bind({});
      connection.execute({});
    }
    super.prepare(connection);
  }

  override handleDataRow(message: object): void {
    if (this.#left === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, connection: Wire): void {
    if (this.#left === 0) super.handleCommandComplete(message, connection);
    else this.#left--;
  }
}
