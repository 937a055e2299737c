/** What changes a status: the id of an operation, or the file of a job or consumer without its extension. */
type Performer = string;

/** For each status, the statuses that a record can change to, and what performs the change. */
type Changes<Status extends string> = Record<Status, Partial<Record<Status, Performer>>>;

/** The life of a record: its first status, and every change of it. */
export class StateTable<Status extends string> {
  readonly resource: string;
  /** What creates a record, by the status that the record then has. */
  readonly created: Partial<Record<Status, Performer>>;
  readonly changes: Changes<Status>;
  /** Changes that the platform makes by itself: no caller can ask for them. */
  readonly automatic: Partial<Changes<Status>>;

  constructor(
    resource: string,
    table: {
      created: Partial<Record<Status, Performer>>;
      changes: Changes<Status>;
      automatic?: Partial<Changes<Status>>;
    },
  ) {
    this.resource = resource;
    this.created = table.created;
    this.changes = table.changes;
    this.automatic = table.automatic ?? {};
  }

  /** The statuses that a caller can change a record to: its `allowedTransitions`. */
  next(status: Status): Status[] {
    return Object.keys(this.changes[status]) as Status[];
  }

  /** Every status that a record can get, with what performs it: `['Task.completed', 'completeTask']`. */
  performers(): [status: string, performer: Performer][] {
    const tables = [this.created, ...Object.values(this.changes), ...Object.values(this.automatic)];
    return tables.flatMap((table) =>
      Object.entries(table as Record<string, Performer>).map(([status, performer]): [string, Performer] => [
        `${this.resource}.${status}`,
        performer,
      ]),
    );
  }
}

/**
 * Declares the life of a record once: `allowedTransitions`, the guard of every change and the test that something
 * performs each of them read the same table.
 * @param resource the name of the record's schema: `Task`
 */
export function stateTable<Status extends string>(
  resource: string,
  table: ConstructorParameters<typeof StateTable<Status>>[1],
): StateTable<Status> {
  return new StateTable(resource, table);
}
