// Stub of crm: keeps accounts, leads and opportunities by the rules that imports depend on.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { allows } from '@tandem/contract';
import { crmOperations } from './crm-operations.ts';

export type Stored = Record<string, unknown> & { id: string; version: number };
type Kind = 'accounts' | 'leads' | 'opportunities';
type Body = Record<string, unknown>;

const now = new Date().toISOString();
const common = {
  tenantId: '1',
  version: 1,
  createdBy: null,
  createdAt: now,
  updatedAt: now,
  teamId: null,
  customFields: {},
};
const noAddress = { street: null, city: null, postalCode: null, region: null, country: null };
const defaults: Record<Kind, object> = {
  accounts: {
    ...{ ...common, domain: null, industry: null, size: null, website: null, phone: null, address: noAddress },
    ...{ ownerId: null, parentAccountId: null, tags: [], externalId: null },
  },
  leads: {
    ...{ ...common, phone: null, source: null, status: 'new', statusCode: 'new', allowedTransitions: [], score: 0 },
    ...{ scorePinned: false, assignedTo: null, accountId: null, tags: [], externalId: null, referralCode: null },
    ...{ partnerId: null, timezone: null, consent: {}, mergedIntoId: null, convertedAt: null },
    convertedOpportunityId: null,
  },
  opportunities: {
    ...{ ...common, leadId: null, accountId: null, value: 0, currency: 'EUR', status: 'open', pipelineId: '1' },
    ...{ allowedTransitions: ['won', 'lost'], stage: 'prospecting', stageId: '1', probability: 10, outcome: null },
    ...{ probabilityOverridden: false, forecastCategory: 'pipeline', expectedCloseAt: null, closedAt: null },
    ...{ ownerId: null, partnerId: null, notes: null, daysInStage: 0 },
  },
};
const stage = {
  ...{ entityType: 'opportunity', pipelineId: '1', description: null, color: null, category: null, version: 1 },
  ...{ defaultProbability: null, isDefault: false, createdAt: now, updatedAt: now, sortOrder: 0 },
};
const stages = [
  { ...stage, id: '1', code: 'prospecting', name: 'Prospecting', isClosed: false, isWon: false },
  { ...stage, id: '2', code: 'proposal', name: 'Proposal', isClosed: false, isWon: false },
  { ...stage, id: '3', code: 'won', name: 'Won', isClosed: true, isWon: true },
  { ...stage, id: '4', code: 'lost', name: 'Lost', isClosed: true, isWon: false },
];
const reason = { outcome: 'lost', active: true, version: 1, createdAt: now, updatedAt: now, usedCount: 0 };
const pagination = {
  ...{ page: 1, limit: 20, total: 0, totalPages: 0, hasNext: false, hasPrev: false },
  ...{ nextCursor: null, nextPageToken: null },
};

class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/** Starts it, and a client of it. */
export async function startCrmPeer() {
  const records: Record<Kind, Map<string, Stored>> = {
    accounts: new Map(),
    leads: new Map(),
    opportunities: new Map(),
  };
  const asked: { path: string; caller: Caller }[] = [];
  const writes: { line: string; body: Body; caller: Caller }[] = [];
  const kept = new Map<string, { body: Body; data: unknown }>();
  let reasons = ['price', 'other'];
  let failing = 0;
  let refusal: { path: RegExp; status: number; code: string } | undefined;
  let before: (() => void) | undefined;
  let ids = 0;
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);

  const find = (kind: Kind, id: string | undefined): Stored => {
    const found = records[kind].get(id ?? '');
    if (!found || found['deletedAt']) throw new Refused(404, 'not_found');
    return found;
  };
  const checkUnique = (kind: Kind, body: Body, ownId?: string) => {
    for (const [field, code] of [
      ['domain', 'domain_taken'],
      ['externalId', 'external_id_taken'],
    ] as const)
      for (const other of records[kind].values())
        if (body[field] && other.id !== ownId && other[field] === body[field] && !other['deletedAt'])
          throw new Refused(409, code);
  };
  const write = (kind: Kind, id: string, body: Body): Stored => {
    const known = records[kind].get(id);
    checkUnique(kind, body, id);
    if ((body['customFields'] as Body | undefined)?.['refused']) throw new Refused(422, 'validation_failed');
    const address = body['address'] && { address: { ...noAddress, ...(body['address'] as object) } };
    const stored = {
      ...defaults[kind],
      ...known,
      ...body,
      ...(address as object),
      id,
      version: (known?.version ?? 0) + 1,
    };
    records[kind].set(id, stored as Stored);
    return stored as Stored;
  };
  const closed = (
    id: string,
    status: 'won' | 'lost',
    { stageId = status === 'won' ? '3' : '4', closedAt = now, ...body }: Body,
  ) => {
    const deal = find('opportunities', id);
    if (deal['status'] !== 'open') throw new Refused(409, 'opportunity_closed');
    const to = stages.find((one) => one.id === stageId);
    if (!to?.isClosed || to.isWon !== (status === 'won')) throw new Refused(422, 'validation_failed');
    const outcome = { result: status, reasonCode: body['reasonCode'] ?? null, note: body['note'] ?? null };
    const more = { competitor: null, byUserId: null };
    return write('opportunities', id, { status, stage: to.code, stageId, closedAt, outcome: { ...outcome, ...more } });
  };

  const answer = (method: string, url: URL, body: Body, ifMatch: string | undefined): unknown => {
    const { pathname: path, searchParams: query } = url;
    const [, kind, id, verb] = /^\/v1\/(accounts|leads|opportunities)(?:\/(\d+))?(?:\/(\w+))?$/.exec(path) ?? [];
    const all = kind ? [...records[kind as Kind].values()].filter((one) => !one['deletedAt']) : [];
    if (kind && method === 'GET' && id === undefined) {
      const [field = ''] = ['externalId', 'domain'].filter((name) => query.has(name));
      return all.filter((one) => one[field] === query.get(field));
    }
    if (kind && method === 'GET') return find(kind as Kind, id);
    if (kind && id === undefined) return write(kind as Kind, String(++ids), body);
    if (id !== undefined && (verb === 'win' || verb === 'lose'))
      return closed(id, verb === 'win' ? 'won' : 'lost', body);
    if (id !== undefined && verb === 'stage') {
      const to = stages.find((one) => one.id === body['stageId']);
      if (!to || to.isClosed) throw new Refused(409, 'move_refused');
      return write('opportunities', id, { stageId: to.id, stage: to.code });
    }
    if (kind && id !== undefined) {
      const current = find(kind as Kind, id);
      before?.();
      before = undefined;
      if (ifMatch !== undefined && ifMatch !== `"${records[kind as Kind].get(id)?.version}"`)
        throw new Refused(412, 'version_conflict');
      const isFrozen =
        current['status'] !== 'open' && Object.keys(body).some((name) => !['customFields', 'notes'].includes(name));
      if (kind === 'opportunities' && isFrozen) throw new Refused(409, 'opportunity_closed');
      return write(kind as Kind, id, body);
    }
    const leads = [...records.leads.values()].filter((one) => !one['deletedAt']);
    if (path === '/internal/leads/read') return leads.filter((one) => (body['ids'] as string[]).includes(one.id));
    if (path === '/internal/leads/find-by-email') return leads.filter(({ email }) => email === body['email']);
    if (path === '/internal/pipelines/read') return { id: '1', stages };
    if (path === '/v1/config/statuses') return stages;
    if (path === '/v1/config/win-loss-reasons')
      return reasons.map((code, index) => ({ ...reason, id: String(index + 1), code, name: code }));
    throw new Refused(404, 'not_found');
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url as string, 'http://localhost');
    const [method, path] = [request.method as string, url.pathname];
    const caller = signer.verify(request.headers[callerHeader] as string, method, path) as Caller;
    const body = JSON.parse((await text(request)) || '{}') as Body;
    const reply = (status: number, content: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    };
    asked.push({ path, caller });
    const isWrite = method !== 'GET' && path.startsWith('/v1/');
    if (isWrite) writes.push({ line: `${method} ${path}`, body, caller });
    if (isWrite && failing > 0) {
      failing--;
      return reply(503, { success: false, code: 'unavailable' });
    }
    const key = request.headers['idempotency-key'] && `${method} ${path} ${request.headers['idempotency-key']}`;
    const earlier = key ? kept.get(key) : undefined;
    try {
      const needed = permissionFor(method, path);
      if (needed && !allows(caller.permissions, needed)) throw new Refused(403, 'forbidden');
      if (refusal?.path.test(path)) throw new Refused(refusal.status, refusal.code);
      if (earlier && !isDeepStrictEqual(earlier.body, body)) throw new Refused(409, 'idempotency_mismatch');
      const data = earlier ? earlier.data : answer(method, url, body, request.headers['if-match']);
      if (key) kept.set(key, { body, data });
      reply(200, { success: true, data, ...(Array.isArray(data) && { pagination }) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      reply(error.status, { success: false, code: error.code });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createServiceClient({
    operations: crmOperations,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    service: 'integrations',
    signer,
  });
  return {
    client,
    records,
    writes,
    asked,
    /** Stores a record that is not imported. */
    add: (kind: Kind, body: Body) => Number(write(kind, String(++ids), body).id),
    remove(kind: Kind, id: number) {
      Object.assign(records[kind].get(String(id)) as Stored, { deletedAt: now });
    },
    /** Sets the codes of the reasons for lost deals. */
    setReasons(codes: string[]) {
      reasons = codes;
    },
    /** How many of the next writes fail. */
    fail(times: number) {
      failing = times;
    },
    /** Refuses requests to a path; none without one. */
    refuse(next: typeof refusal) {
      refusal = next;
    },
    /** Runs before the next change of a record, after its reading. */
    interrupt(work: () => void) {
      before = work;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The permission of a public operation. */
function permissionFor(method: string, path: string): string | undefined {
  const [, kind] = /^\/v1\/(\w+)/.exec(path) ?? [];
  if (kind === undefined) return undefined;
  return `${kind}:${method === 'GET' ? 'read' : 'write'}`;
}

export type CrmPeer = Awaited<ReturnType<typeof startCrmPeer>>;
