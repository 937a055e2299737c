// Runs connectors in tests as the service does, against local servers.
import { createGuardedFetch, createTarget } from '@tandem/outgoing';
import { callOf } from './call.ts';
import type { Call, Secret, Sockets } from './calling.ts';
import type { Connector } from './connector.ts';
import type { Cursor, ExternalRecord, SyncPage } from './sync.ts';

/**
 * Creates the calls of connections for one test file, and closes them when it ends.
 * @returns a function that makes the calls of a connection whose provider is at a local address
 */
export function closingCalls(): (connector: Connector, secret: Secret, url: string) => Call {
  const target = createTarget({ allowPrivate: true });
  const guarded = createGuardedFetch({ target, name: 'A connected system', timeoutMs: 8_000 });
  afterAll(() => guarded.close());
  return (connector, secret, url) => {
    const addressAt = (_: unknown, original: string) => {
      const { pathname, search } = new URL(original);
      return new URL(pathname + search, url).href;
    };
    return callOf(connector, secret, { fetch: guarded.fetch, oauth: { addressAt }, stripeUrl: url });
  };
}

export interface Run {
  /** The records of each page. */
  pages: ExternalRecord[][];
  records: ExternalRecord[];
  cursor: Cursor;
}

/** Runs a sync to its end, as a run of a config does. The settings are read by the schema of the connector. */
export function syncOf(
  { sync, settings: schema }: Connector,
  { call, secret = {}, sockets }: { call: Call; secret?: Secret; sockets?: Sockets },
) {
  const none: Sockets = { connect: () => Promise.reject(new Error('No socket is expected')), allowsPlain: true };
  const read = (cursor: Cursor | null, given: object = {}): Promise<SyncPage> => {
    if (!sync || !schema) throw new Error('The connector has no sync');
    // A cursor is stored as JSON.
    const stored = JSON.parse(JSON.stringify(cursor)) as Cursor | null;
    const settings = schema.parse(given);
    return sync.read({ call, secret, sockets: sockets ?? none, settings, cursor: stored, fieldMappings: [] });
  };
  return {
    read,
    async run(from: Cursor | null, given: object = {}): Promise<Run> {
      const pages: ExternalRecord[][] = [];
      for (let cursor = from; pages.length < 100; ) {
        const page = await read(cursor, given);
        pages.push(page.records);
        cursor = page.cursor;
        if (page.isLast) return { pages, records: pages.flat(), cursor };
      }
      throw new Error('The sync does not end');
    },
  };
}
