import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import { Lead, meets } from '@tandem/crm-contract';

type LeadBody = Record<string, unknown> & { id: string };
type Add = (fields: Record<string, unknown>) => string;
type Answer = (body: never, of: { leads: LeadBody[]; caller: Caller; add: Add }) => unknown;

/** The leads of crm in tests, by tenant and environment, and its answers to campaign. */
export interface CrmPeer {
  url: string;
  /** Adds a lead to a tenant and returns its id. */
  addLead(tenantId: number, fields?: Record<string, unknown>, environment?: string): string;
  changeLead(id: string, fields: Record<string, unknown>): void;
  removeLead(id: string): void;
  /** The calls to changing operations, in order. */
  calls: { path: string; body: Record<string, unknown>; idempotencyKey?: string }[];
  /** The calls that were limited to records of a user. */
  narrowed: { path: string; tenantId: number | undefined }[];
  /** While true, every call fails with 503. */
  isDown: boolean;
  /** While true, changes are made, and their answers get lost. */
  losesAnswers: boolean;
  close(): Promise<void>;
}

interface Selection {
  conditions: Parameters<typeof meets>[1][];
  ids?: string[];
  after?: string | null;
  limit: number;
}

interface Upserted {
  email: string;
  customFields?: object;
}

interface Stored {
  tenantId: number;
  environment: string;
  lead: LeadBody;
}

let tasks = 0;

const answers: Record<string, Answer> = {
  '/internal/leads/read': ({ ids }: { ids: string[] }, { leads }) => leads.filter(({ id }) => ids.includes(id)),
  '/internal/leads/find-by-email': ({ email }: { email: string }, { leads }) =>
    leads.filter((lead) => lead['email'] === email),
  // The definition of one field: `seats` is a number.
  '/internal/leads/check-custom-fields': ({ changes }: { changes: Record<string, unknown>[] }) =>
    changes.flatMap(({ seats }, index) =>
      seats === undefined || typeof seats === 'number' ? [] : [{ index, key: 'seats', message: 'Must be a number' }],
    ),
  '/internal/leads/filter': ({ ids }: { ids: string[] }, { leads }) => ({
    ids: leads.map(({ id }) => id).filter((id) => ids.includes(id)),
  }),
  '/internal/leads/select': ({ conditions, ids, after, limit }: Selection, { leads }) => {
    const wanted = new Set(ids);
    const found = leads
      .filter(({ id }) => Number(id) > Number(after ?? 0) && (!ids || wanted.has(id)))
      .filter((lead) => !conditions.length || conditions.every((one) => meets(Lead.decode(lead as never), one)))
      .slice(0, limit);
    return { leads: found, next: found.length === limit ? found.at(-1)?.id : null };
  },
  // The tenant has a lead status of its own.
  '/v1/config/statuses': () => [aStatus],
  '/v1/tasks': (body: object, { caller }) => ({
    ...aTask,
    ...body,
    id: String(++tasks),
    tenantId: String(caller.tenantId),
  }),
  '/internal/leads/upsert-by-email': ({ email, customFields = {} }: Upserted, { leads, add }) => {
    const found = leads.find((lead) => lead['email'] === email);
    if (found) found['customFields'] = { ...customFields, ...(found['customFields'] as object) };
    return { leadId: found?.id ?? add({ email, customFields, source: 'web' }), created: !found, ignored: [] };
  },
};

/** Starts a crm that has the leads that a test adds. Calls must be signed, as between services. */
export async function crmPeer(): Promise<CrmPeer> {
  const stored = new Map<string, Stored>();
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  const calls: CrmPeer['calls'] = [];
  const narrowed: CrmPeer['narrowed'] = [];
  let nextId = 0;
  const addLead = (tenantId: number, fields: Record<string, unknown> = {}, environment = 'live') => {
    const id = String(++nextId);
    stored.set(id, { tenantId, environment, lead: { ...aLead(id, tenantId), ...fields, id } });
    return id;
  };
  const peer = { isDown: false, losesAnswers: false, addLead };
  const kept = new Map<string, { asked: string; data: unknown }>();
  const server = createServer(async (request, response) => {
    const reply = (status: number, data: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(data));
    };
    const { method = '' } = request;
    const { pathname: url } = new URL(request.url ?? '', 'http://crm');
    const caller = signer.verify(request.headers[callerHeader] as string, method, url);
    const body = JSON.parse((await text(request)) || '{}');
    if (peer.isDown || !caller) return reply(503, { code: 'unavailable' });
    if (caller.narrow) narrowed.push({ path: url, tenantId: caller.tenantId });
    const leads = [...stored.values()]
      .filter((one) => one.tenantId === caller.tenantId && one.environment === caller.environment)
      .map(({ lead }) => lead);
    const answer = answers[url];
    const isChange = method !== 'GET' && (!url.startsWith('/internal/') || url.includes('upsert'));
    const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
    if (isChange) calls.push({ path: url, body, ...(idempotencyKey && { idempotencyKey }) });
    const asked = JSON.stringify(body);
    const earlier = kept.get(`${caller.tenantId} ${idempotencyKey}`);
    if (earlier && earlier.asked !== asked) return reply(409, { code: 'idempotency_mismatch' });
    if (earlier) return reply(200, { data: earlier.data });
    const changed = method === 'PATCH' && leads.find(({ id }) => url === `/v1/leads/${id}`);
    const add: Add = (fields) => peer.addLead(caller.tenantId as number, fields, caller.environment);
    const ifMatch = request.headers['if-match'];
    if (changed && ifMatch !== undefined && ifMatch !== `"${changed['version']}"`)
      return reply(412, { code: 'version_mismatch' });
    const data = changed
      ? Object.assign(changed, body, { version: Number(changed['version']) + 1 })
      : (answer?.(body as never, { leads, caller, add }) ?? {});
    if (idempotencyKey) kept.set(`${caller.tenantId} ${idempotencyKey}`, { asked, data });
    return isChange && peer.losesAnswers ? reply(503, { code: 'unavailable' }) : reply(200, { data });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(peer, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    narrowed,
    changeLead(id: string, fields: Record<string, unknown>) {
      const lead = stored.get(id)?.lead;
      if (lead) Object.assign(lead, fields, { version: Number(lead['version']) + 1 });
    },
    removeLead: (id: string) => void stored.delete(id),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

const now = '2026-03-02T10:00:00.000Z';
const aStatus = {
  id: '1',
  entityType: 'lead',
  pipelineId: null,
  code: 'nurturing',
  name: 'Nurturing',
  description: null,
  color: null,
  sortOrder: 1,
  isDefault: false,
  category: 'contacted',
  isClosed: false,
  isWon: false,
  defaultProbability: null,
  version: 1,
  createdAt: now,
  updatedAt: now,
};
const aTask = {
  description: null,
  status: 'pending',
  recurrence: null,
  allowedTransitions: [],
  subtasks: [],
  overdue: false,
  nextTaskId: null,
  opportunityId: null,
  partnerId: null,
  teamId: null,
  escalationLevel: 0,
  completedAt: null,
  completedBy: null,
  outcome: null,
  outcomeNote: null,
  createdBy: null,
  version: 1,
  createdAt: now,
  updatedAt: now,
};

/** A lead as crm returns it. */
export function aLead(id: string, tenantId: number): LeadBody {
  const now = new Date().toISOString();
  return {
    id,
    tenantId: String(tenantId),
    email: `lead${id}@example.com`,
    firstName: `First${id}`,
    lastName: `Last${id}`,
    phone: null,
    source: 'web',
    status: 'new',
    statusCode: 'new',
    allowedTransitions: [],
    score: 0,
    scorePinned: false,
    assignedTo: null,
    teamId: null,
    accountId: null,
    customFields: {},
    tags: [],
    externalId: null,
    referralCode: null,
    partnerId: null,
    timezone: null,
    consent: {},
    mergedIntoId: null,
    convertedAt: null,
    convertedOpportunityId: null,
    createdBy: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
