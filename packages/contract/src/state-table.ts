/** The code that changes a status: the id of an operation, or the file of a job or consumer without its extension. */
type Performer = string;

/** For each status, the statuses that a record can change to, and what performs the change. */
type Changes<Status extends string> = Record<Status, Partial<Record<Status, Performer>>>;

/** The states of a record: its first statuses, and every change of status. */
export class StateTable<Status extends string> {
  readonly resource: string;
  /** The code that creates a record, by the first status of the record. */
  readonly created: Partial<Record<Status, Performer>>;
  readonly changes: Changes<Status>;
  /** Changes that only the platform makes. Callers cannot request them. */
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

  /** Whether a record can change from one status to another, by a caller or by the platform. */
  has(from: Status, to: Status): boolean {
    return [this.changes[from], this.automatic[from]].some((table) => table && Object.hasOwn(table, to));
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
 * Declares the states of a record once, for `allowedTransitions`, for the guard of every change, and for the test that
 * checks that each change is performed somewhere.
 * @param resource the name of the record's schema: `Task`
 */
export function stateTable<Status extends string>(
  resource: string,
  table: ConstructorParameters<typeof StateTable<Status>>[1],
): StateTable<Status> {
  return new StateTable(resource, table);
}
