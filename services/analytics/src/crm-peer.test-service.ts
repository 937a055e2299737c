import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';

/** A record of a list, in the form in which services exchange it. */
export type PeerRecord = { id: string; assignedTo?: string | null } & Record<string, unknown>;

/** A request to set predicted scores, as crm received it. */
export interface PredictedScores {
  tenantId: number | undefined;
  narrow: object | undefined;
  reason: string;
  scores: { leadId: string; score: number; version: number }[];
}

export interface CrmPeer {
  url: string;
  /** Removes a lead. */
  forget(leadId: string): void;
  /** The records of each list, by operation id, for every tenant and environment. */
  lists: Map<string, PeerRecord[]>;
  /** The owners of leads, which other narrowed callers do not find. */
  owners: Map<string, number>;
  /** How many pages of records were read. */
  pages(): number;
  /** Keeps replies with records until the returned function is called. */
  hold(): () => void;
  /** The requests to set predicted scores; a lead named by `refuse` has this error. */
  predicted: PredictedScores[];
  refuse(leadId: string, code: string): void;
  /** Lets requests for records fail. */
  isBroken: boolean;
  close(): Promise<void>;
}

const stages = [
  { code: 'prospecting', isClosed: false, isWon: false },
  { code: 'proposal', isClosed: false, isWon: false },
  { code: 'closed_won', isClosed: true, isWon: true },
  { code: 'closed_lost', isClosed: true, isWon: false },
];

// So small that an export has several pages.
const pageMax = 2;

/** Starts a stub of crm where every tenant has leads 1 to 899, in live only, the pipeline 1 with these stages, and lists with the given records. */
export async function crmPeer(): Promise<CrmPeer> {
  const forgotten = new Set<string>();
  const refused = new Map<string, string>();
  const lists: CrmPeer['lists'] = new Map();
  const owners: CrmPeer['owners'] = new Map();
  const signer = createCallerSigner(process.env['INTERNAL_SECRETS'] as string);
  let held = Promise.resolve();
  let pages = 0;
  const server = createServer(async (request, response) => {
    const path = request.url as string;
    const caller = signer.verify(request.headers[callerHeader] as string, request.method as string, path);
    const body = JSON.parse(await text(request));
    if (path === '/internal/pipelines/read') {
      const isKnown = body.id === null || body.id === '1';
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? { success: true, data: { id: '1', stages } } : { code: 'not_found' }));
      return;
    }
    if (path === '/internal/pipelines/stage-codes') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, data: { codes: stages.map(({ code }) => code) } }));
      return;
    }
    if (path === '/internal/leads/set-predicted-scores') {
      peer.predicted.push({ ...body, tenantId: caller?.tenantId, narrow: caller?.narrow });
      const data = (body as PredictedScores).scores.map(({ leadId }) => {
        const code = refused.get(leadId);
        return { leadId, error: code ? { code, message: 'Refused' } : null };
      });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ success: true, data }));
      return;
    }
    const isOfRecords = path === '/internal/record-pages';
    if (isOfRecords) await held;
    if (isOfRecords) pages++;
    const isReadable = (id: string) =>
      !caller?.narrow || (owners.get(id) ?? caller.narrow.userId) === caller.narrow.userId;
    const exists = (id: string) =>
      caller?.environment === 'live' && Number(id) < 900 && !forgotten.has(id) && isReadable(id);
    const data = isOfRecords ? pageOf(lists.get(body.list) ?? [], body, caller) : { ids: body.ids.filter(exists) };
    response.writeHead(isOfRecords && peer.isBroken ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const peer: CrmPeer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forget: (leadId) => void forgotten.add(leadId),
    lists,
    owners,
    pages: () => pages,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    predicted: [],
    refuse: (leadId, code) => void refused.set(leadId, code),
    isBroken: false,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return peer;
}

interface Asked {
  filters: { search?: string; customFields?: object };
  after: number;
  limit: number;
}

function pageOf(all: PeerRecord[], { filters, after, limit }: Asked, caller: Caller | undefined) {
  if (filters.customFields)
    return { records: [], next: null, errors: [{ field: 'filters.customFields.salary', message: 'Is not defined' }] };
  const userId = caller?.narrow?.userId;
  const later = all
    .filter((record) => Number(record.id) > after)
    .filter((record) => !filters.search || JSON.stringify(record).includes(filters.search))
    .filter((record) => userId === undefined || record.assignedTo === String(userId));
  const records = later.slice(0, Math.min(limit, pageMax));
  return { records, next: records.length < later.length ? Number(records.at(-1)?.id) : null };
}
