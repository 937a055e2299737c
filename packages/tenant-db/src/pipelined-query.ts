import pg from 'pg';

/** A statement with its parameters. Under its name a connection caches the plan. */
export interface Statement {
  text: string;
  values: unknown[];
  name?: string;
}

/** The part of pg's connection that `PipelinedQuery` uses. */
interface Wire {
  parse(statement: { text: string; name?: string | undefined; types?: unknown }): void;
  bind(portal: { statement?: string | undefined; values?: readonly unknown[] }): void;
  execute(portal: object): void;
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
}

/** The part of pg's own query that `PipelinedQuery` uses (pg 8). */
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
 * A query that is sent and answered together with the statements before it: one round trip. They end with one Sync, so
 * outside of an explicit transaction PostgreSQL runs them as one transaction, and when one fails it skips the rest
 * (PostgreSQL manual, "Message Flow", "Pipelining"). The results of the statements before it are dropped.
 */
export class PipelinedQuery extends PgQuery {
  readonly #before: readonly Statement[];
  #pending: number;

  constructor(config: object, before: readonly Statement[]) {
    super({ ...config, queryMode: 'extended' });
    this.#before = before;
    this.#pending = before.length;
  }

  /** Whether all statements before the query succeeded. */
  get hasBegun(): boolean {
    return this.#pending === 0;
  }

  override prepare(connection: Wire): void {
    // pg attributes the first ParseComplete of a group to the query itself, so the query must be parsed first.
    if (this.name && !this.hasBeenParsed(connection)) {
      connection.parse({ text: this.text, name: this.name, types: this.types });
      connection.submittedNamedStatements[this.name] = this.text;
    }
    for (const { text, values, name } of this.#before) {
      // Not marked as parsed: after an error in the group, PostgreSQL may skip this Parse, and a name that was never
      // parsed must not be used. The next group then parses it again.
      if (!name || !this.#isKept(connection, name, text)) connection.parse({ text, name });
      connection.bind({ statement: name, values });
      connection.execute({});
    }
    super.prepare(connection);
  }

  override handleDataRow(message: object): void {
    if (this.#pending === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, connection: Wire): void {
    if (this.#pending === 0) super.handleCommandComplete(message, connection);
    else this.#noteResponse(connection);
  }

  #noteResponse(connection: Wire): void {
    const { name, text } = this.#before[this.#before.length - this.#pending] as Statement;
    this.#pending--;
    if (name) connection.parsedStatements[name] = text;
  }

  #isKept(connection: Wire, name: string, text: string): boolean {
    return connection.parsedStatements[name] === text;
  }
}
