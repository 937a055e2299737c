import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Caller, callerHeader, createCallerSigner } from '@tandem/caller';
import type { Lead } from '@tandem/crm-contract';
import type { z } from 'zod';

export type WireLead = z.input<typeof Lead>;

/** A change that agents have asked crm for. */
export interface Change {
  method: string;
  path: string;
  body: Record<string, unknown>;
  caller: Caller;
}

/** The data of the stubs of crm and identity. */
export interface Known {
  leads: Map<number, WireLead>;
  changes: Change[];
  /** The records in the lists of crm, by path. */
  history: Record<string, object[]>;
  /** Every request to crm with its caller. */
  requests: { path: string; body: Body; caller: Caller }[];
  /** Number of requests to crm. */
  asked: number;
  /** How many of the next requests to crm fail. */
  failing: number;
  /** The code with which crm refuses changes; undefined when it makes them. */
  refusal: string | undefined;
  zone: string;
  runsPerDay: number | undefined;
  /** The features of the plan. */
  features: string[];
  user: { status: string; permissions: string[] };
}

interface Body extends Record<string, unknown> {
  ids?: string[];
  after?: string | null;
  limit?: number;
}

type Answer = (body: Body, on: { leads: WireLead[]; path: string }) => unknown;

const now = new Date().toISOString();
const common = { version: 1, createdBy: null, createdAt: now, updatedAt: now };
const aTask = {
  ...{ ...common, description: null, status: 'pending', recurrence: null, allowedTransitions: [], subtasks: [] },
  ...{ overdue: false, nextTaskId: null, opportunityId: null, partnerId: null, teamId: null, escalationLevel: 0 },
  ...{ completedAt: null, completedBy: null, outcome: null, outcomeNote: null },
};
const anOpportunity = {
  ...{ ...common, name: 'Ada Lovelace', accountId: null, value: 0, currency: 'EUR', status: 'open' },
  ...{ allowedTransitions: ['won', 'lost'], pipelineId: '1', stage: 'prospecting', stageId: '1', probability: 10 },
  ...{ probabilityOverridden: false, forecastCategory: 'pipeline', expectedCloseAt: null, closedAt: null },
  ...{ ownerId: null, teamId: null, partnerId: null, customFields: {}, notes: null, outcome: null, daysInStage: 0 },
};

/** The number of a lead. */
export function phoneOf(leadId: number): string {
  return `+4917${String(10_000_000 + leadId)}`;
}

/** A lead as crm returns it. */
export function leadOf(id: number, fields: Partial<WireLead>): WireLead {
  return {
    ...{ ...common, id: String(id), tenantId: '1', email: `lead${id}@example.com`, firstName: 'Ada' },
    ...{ lastName: 'Lovelace', phone: phoneOf(id), source: 'web', status: 'new', statusCode: 'new', score: 10 },
    ...{ allowedTransitions: [], scorePinned: false, assignedTo: null, teamId: null, accountId: null, tags: [] },
    ...{ customFields: {}, externalId: null, referralCode: null, partnerId: null, timezone: null, consent: {} },
    ...{ mergedIntoId: null, convertedAt: null, convertedOpportunityId: null },
    ...fields,
  };
}

const pagination = {
  ...{ page: 1, limit: 20, total: 0, totalPages: 0, hasNext: false, hasPrev: false },
  ...{ nextCursor: null, nextPageToken: null },
};
let created = 0;
const answers: Record<string, Answer> = {
  '/internal/leads/find': (_, { leads }) => leads,
  '/internal/leads/read': (_, { leads }) => leads,
  '/internal/leads/filter': (_, { leads }) => ({ ids: leads.map(({ id }) => id) }),
  // Finds the contacted leads, whatever the conditions.
  '/internal/leads/select': ({ after, limit = 0 }, { leads }) => {
    const left = leads.filter(({ id, status }) => status === 'contacted' && Number(id) > Number(after ?? 0));
    const page = left.slice(0, limit).map(({ id, email, phone }) => ({ id, email, phone, consent: {} }));
    return { leads: page, next: left.length > page.length ? page.at(-1)?.id : null };
  },
  '/v1/tasks': (body) => ({ ...aTask, ...body, id: String(++created), tenantId: '1' }),
  '/v1/opportunities/convert': ({ leadId }) => ({ ...anOpportunity, id: String(++created), tenantId: '1', leadId }),
};

/** Starts stubs of crm and identity on one port. Changes must have the idempotency that agents promise. */
export async function startPeers(known: Known): Promise<{ url: string; close(): Promise<void> }> {
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  const kept = new Map<string, unknown>();
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const ofIdentity = identityAnswer(known, request.url as string);
    if (ofIdentity) return reply(200, { success: true, data: ofIdentity });
    known.asked++;
    const [method, path] = [request.method as string, request.url as string];
    const caller = signer.verify(
      request.headers[callerHeader] as string,
      method,
      path.split('?')[0] as string,
    ) as Caller;
    const body = JSON.parse((await text(request)) || '{}') as Body;
    known.requests.push({ path, body, caller });
    if (known.failing > 0) {
      known.failing--;
      return reply(503, { success: false, code: 'unavailable', message: 'Later' });
    }
    if (method === 'GET')
      return reply(200, { success: true, data: known.history[path.split('?')[0] as string] ?? [], pagination });
    if (path.startsWith('/internal/')) {
      const data = answers[path]?.(body, { leads: reached(known, body, caller), path });
      return reply(200, { success: true, data });
    }
    const key = `${caller.tenantId} ${request.headers['idempotency-key']}`;
    if (kept.has(key)) return reply(200, { success: true, data: kept.get(key) });
    known.changes.push({ method, path, body, caller });
    if (known.refusal) return reply(409, { success: false, code: known.refusal, message: 'No' });
    const data = answers[path]?.(body, { leads: [], path }) ?? changeLead(known, request, body);
    if (request.headers['idempotency-key']) kept.set(key, data);
    return reply(200, { success: true, data });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function identityAnswer({ zone, runsPerDay, features, user }: Known, url: string): object | undefined {
  if (url === '/internal/tenants/settings') return { timezone: zone, locale: 'en', currency: 'EUR' };
  if (url === '/internal/entitlements') {
    const addon = { addonId: '5', key: 'ai_agents', version: '1.1.0', config: { runsPerDay } };
    return { plan: 'pro', features, addons: runsPerDay === undefined ? [] : [addon] };
  }
  const [, id, isPermissions] = /^\/internal\/users\/(\d+)(\/permissions)?$/.exec(url) ?? [];
  if (id === undefined) return undefined;
  const { status, permissions } = user;
  return isPermissions ? { permissions } : { id, status, name: 'Ada', teamIds: [] };
}

/** The leads of a request that the caller reaches. */
function reached({ leads }: Known, { ids }: Body, { narrow }: Caller): WireLead[] {
  const found = ids ? ids.flatMap((id) => leads.get(Number(id)) ?? []) : [...leads.values()];
  return narrow ? found.filter(({ assignedTo }) => assignedTo === String(narrow.userId)) : found;
}

function changeLead({ leads }: Known, { url }: IncomingMessage, body: Body): WireLead | undefined {
  const id = Number(/^\/v1\/leads\/(\d+)/.exec(url as string)?.[1]);
  const lead = leads.get(id);
  if (!lead) return undefined;
  const { status = lead.status, tags = lead.tags } = body as Partial<WireLead>;
  leads.set(id, { ...lead, status, tags, version: lead.version + 1 });
  return leads.get(id);
}
