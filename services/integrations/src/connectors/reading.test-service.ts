// Reads from a local system as a run does, over the calls of a connection.
import { createGuardedFetch, createTarget } from '@tandem/outgoing';
import { createOauthClient } from '../providers/oauth-client.ts';
import { callOf } from './call.ts';
import type { FieldMapping } from './calling.ts';
import type { Connector } from './connector.ts';
import type { Cursor, ExternalRecord, Sync, SyncPage } from './sync.ts';

interface Options {
  settings?: Record<string, unknown>;
  fieldMappings?: FieldMapping[];
}

const pagesMax = 1_000;

/** Opens a connection of a connector to a local provider. */
export function openReading(connector: Connector, { url, token }: { url: string; token: string }) {
  const target = createTarget({ allowPrivate: true });
  const guarded = createGuardedFetch({ target, name: 'A connected system', timeoutMs: 20_000 });
  const oauth = createOauthClient({
    settings: {
      OAUTH_HUBSPOT_URL: url,
      OAUTH_PIPEDRIVE_URL: url,
      OAUTH_GOOGLE_URL: url,
      OAUTH_MICROSOFT_URL: url,
    },
    fetch: guarded.fetch,
    allowHttp: true,
  });
  const secret = { accessToken: token };
  const call = callOf(connector, secret, { fetch: guarded.fetch, oauth, stripeUrl: undefined });
  const sync = connector.sync as Sync;
  const read = (cursor: Cursor | null, { settings = {}, fieldMappings = [] }: Options = {}) =>
    sync.read({ call, secret, sockets: {} as never, settings, cursor, fieldMappings });
  return {
    call,
    read,
    /** Reads to the end; cursors are stored as JSON between the pages. */
    async readAll(cursor: Cursor | null, options: Options = {}): Promise<SyncPage[]> {
      const pages: SyncPage[] = [];
      for (let at = cursor; pages.length < pagesMax; ) {
        const page = await read(at, options);
        pages.push(page);
        if (page.isLast) return pages;
        at = JSON.parse(JSON.stringify(page.cursor)) as Cursor;
      }
      throw new Error('The run does not end');
    },
    close: guarded.close,
  };
}

/** The records of pages. */
export function recordsOf(pages: readonly SyncPage[]): ExternalRecord[] {
  return pages.flatMap(({ records }) => records);
}

/** The records as `kind id`. */
export function namesOf(pages: readonly SyncPage[]): string[] {
  return recordsOf(pages).map(({ kind, id }) => `${kind} ${id}`);
}
