import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { agents } from '@tandem/agents-contract';
import { callerHeader, createCallerSigner } from '@tandem/caller';
import type { InternalLead } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { type TestService, testService, until } from '@tandem/testing';
import type { z } from 'zod';
import { agentsService } from './service.ts';
import { agentsSettings } from './settings.ts';

const own = agentsSettings.pick({ IDS_ALPHABET: true }).parse(process.env);

type WireLead = z.input<typeof InternalLead>;

const ids = createIdCodec(own.IDS_ALPHABET);

/** The agents service in a test, with a stub of crm and identity. */
export interface Agents extends TestService<typeof agents> {
  /** Adds a lead to crm and returns its id. */
  aLead(fields?: Partial<WireLead>): number;
  /** Removes a lead from crm. */
  forget(leadId: number): void;
  /** Number of requests to crm. */
  asked(): number;
  /** Sets the time zone of tenants in identity; UTC by default. */
  timezone(zone: string): void;
  /** Sets the setting of the active addon AI Agents in identity; without one the addon is not active. */
  runsPerDay(maximum: number | undefined): void;
  /** Makes the next requests to crm fail. */
  failNext(times: number): void;
  /** Sets the status and the permissions of every user in identity; active with all of agents and leads by default. */
  users(status: 'active' | 'deactivated', permissions?: string[]): void;
}

export type Api = ReturnType<Agents['as']>;

/** Starts agents with stubs of crm and identity. */
export async function startAgents(overrides: Parameters<typeof agentsService>[1] = {}): Promise<Agents> {
  const leads = new Map<number, WireLead>();
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  let lastLeadId = 0;
  let asked = 0;
  let failing = 0;
  let user = { status: 'active', permissions: ['agents:write', 'leads:read'] };
  let zone = 'UTC';
  let runsPerDay: number | undefined;
  const peers = createServer(async (request, response) => {
    if (request.url === '/internal/tenants/settings') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ success: true, data: { timezone: zone, locale: 'en', currency: 'EUR' } }));
      return;
    }
    if (request.url === '/internal/entitlements') {
      response.setHeader('content-type', 'application/json');
      const addons =
        runsPerDay === undefined ? [] : [{ addonId: '5', key: 'ai_agents', version: '1.1.0', config: { runsPerDay } }];
      response.end(JSON.stringify({ success: true, data: { plan: 'pro', features: [], addons } }));
      return;
    }
    const [, userId, isPermissions] = /^\/internal\/users\/(\d+)(\/permissions)?$/.exec(request.url as string) ?? [];
    if (userId !== undefined) {
      response.setHeader('content-type', 'application/json');
      const { status, permissions } = user;
      const data = isPermissions ? { permissions } : { id: userId, status, name: 'Ada', teamIds: [] };
      response.end(JSON.stringify({ success: true, data }));
      return;
    }
    asked++;
    const header = request.headers[callerHeader] as string;
    const caller = signer.verify(header, request.method as string, request.url as string);
    const body = JSON.parse(await text(request)) as { ids?: string[]; after?: string | null; limit: number };
    const requestedIds = body.ids ?? [...leads.keys()].map(String);
    response.setHeader('content-type', 'application/json');
    if (failing > 0) {
      failing--;
      response.writeHead(503).end(JSON.stringify({ success: false, code: 'unavailable', message: 'Later' }));
      return;
    }
    const found = requestedIds.flatMap((id) => leads.get(Number(id)) ?? []);
    const { narrow } = caller ?? {};
    const reached = narrow ? found.filter(({ assignedTo }) => assignedTo === String(narrow.userId)) : found;
    const isFilter = request.url === '/internal/leads/filter';
    if (request.url === '/internal/leads/select') {
      const left = reached.filter(({ id, status }) => status === 'contacted' && Number(id) > Number(body.after ?? 0));
      const page = left.slice(0, body.limit).map(({ id, email, phone }) => ({ id, email, phone, consent: {} }));
      const next = left.length > page.length ? (page.at(-1)?.id ?? null) : null;
      response.end(JSON.stringify({ success: true, data: { leads: page, next } }));
      return;
    }
    response.end(JSON.stringify({ success: true, data: isFilter ? { ids: reached.map(({ id }) => id) } : reached }));
  });
  await new Promise<void>((resolve) => peers.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(peers.address() as AddressInfo).port}`;
  const service = await testService('agents', (settings) =>
    agentsService({ ...settings, ...own, CRM_URL: url, IDENTITY_URL: url }, overrides),
  );
  return {
    ...service,
    aLead(fields = {}) {
      const id = ++lastLeadId;
      leads.set(id, {
        id: String(id),
        email: `lead${id}@example.com`,
        firstName: 'Ada',
        lastName: 'Lovelace',
        phone: '+491701234567',
        status: 'new',
        score: 10,
        source: 'web',
        assignedTo: null,
        createdAt: new Date().toISOString(),
        ...fields,
      });
      return id;
    },
    forget: (leadId) => void leads.delete(leadId),
    asked: () => asked,
    runsPerDay(maximum) {
      runsPerDay = maximum;
    },
    timezone(newZone) {
      zone = newZone;
    },
    users(status, permissions = ['agents:write', 'leads:read']) {
      user = { status, permissions };
    },
    failNext(times) {
      failing = times;
    },
    async close() {
      await service.close();
      peers.closeAllConnections();
      await new Promise((resolve) => peers.close(resolve));
    },
  };
}

/** Id of a tenant's agent of this kind. */
export async function agentOf(api: Api, kind: 'caller' | 'recommender'): Promise<string> {
  return (await api.listAgents({ query: { kind } })).data[0].id;
}

/** Public id of a lead. */
export function codeOf(api: Api, leadId: number): string {
  return ids.encode('lead', api.caller.tenantId as number, leadId);
}

/** Runs an agent for leads and waits until the bulk run ends. */
export async function runThrough(api: Api, kind: 'caller' | 'recommender', leadIds: number[], body: object = {}) {
  const id = await agentOf(api, kind);
  const { data } = await api.runAgentInBulk({
    params: { id },
    body: { leadIds: leadIds.map((leadId) => codeOf(api, leadId)), ...body },
  });
  const run = await until('the bulk run is over', async () => {
    const { data: now } = await api.getBulkRun({ params: { id: data.bulkRunId } });
    return now.status !== 'running' && now;
  });
  const { data: executions } = await api.listExecutions({ query: { bulkRunId: data.bulkRunId, sort: 'createdAt' } });
  return { run, executions };
}

/** A pending recommendation for a lead. */
export async function aRecommendation(service: Agents, api: Api) {
  const { executions } = await runThrough(api, 'recommender', [service.aLead()]);
  const { data } = await api.listRecommendations({ query: { leadId: executions[0].leadId } });
  return data[0];
}

/** A recommender that requires approval, and an execution that waits for it. */
export async function aWaitingExecution(service: Agents, api: Api = service.as()) {
  const id = await agentOf(api, 'recommender');
  await api.updateAgent({ params: { id }, body: { approvalPolicy: 'always' } });
  const leadIds = [codeOf(api, service.aLead())];
  const { data } = await api.runAgentInBulk({ params: { id }, body: { leadIds } });
  const executionId = data.results[0].executionId as string;
  await until('it waits', async () => (await executionOf(api, executionId)).status === 'awaiting_approval');
  const { data: approvals } = await api.listApprovals();
  const approval = approvals.find((one: { executionId: string }) => one.executionId === executionId);
  return { api, id, leadIds, executionId, approval, bulkRunId: data.bulkRunId as string };
}

/** An execution as the API returns it. */
export async function executionOf(api: Api, id: string) {
  return (await api.getExecution({ params: { id } })).data;
}

/** The first event with this name of the caller's tenant. */
export function eventOf(service: Agents, api: Api, name: string) {
  return until(`${name} arrives`, () =>
    service.events.find((event) => event.name === name && event.tenantId === api.caller.tenantId),
  );
}
