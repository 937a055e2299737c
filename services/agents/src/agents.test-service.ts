import type { agents } from '@tandem/agents-contract';
import { agentAiSettings } from '@tandem/ai';
import { createIdCodec } from '@tandem/ids';
import { telephonySettings } from '@tandem/telephony';
import {
  type CallProvider,
  type CallScript,
  type ProviderCall,
  startCallProvider,
  type TestService,
  testService,
  type testSettings,
  until,
} from '@tandem/testing';
import { z } from 'zod';
import { type Known, leadOf, phoneOf, startPeers, type WireLead } from './peers.test-service.ts';
import { agentsService } from './service.ts';
import { agentsSettings } from './settings.ts';

const publicUrl = 'https://api.example.com';

/** The settings of agents themselves, without providers of AI and calls. */
export const ownSettings = {
  ...agentsSettings.pick({ IDS_ALPHABET: true }).parse(process.env),
  ...agentsSettings.pick({ AGENTS_TOKENS_PER_DAY: true }).parse({}),
  ...z.object(agentAiSettings).parse({}),
  ...z.object(telephonySettings).parse({}),
  PUBLIC_URL: publicUrl,
};

const ids = createIdCodec(ownSettings.IDS_ALPHABET);

/** The permissions that users of the stub of identity have by default. */
const everyPermission = [
  'agents:write',
  ...['leads', 'tasks', 'opportunities'].map((one) => `${one}:write`),
  'leads:read',
];

/** The agents service in a test, with a stub of crm and identity. */
export interface Agents extends TestService<typeof agents> {
  /** The leads of crm and the changes that it was asked for. */
  known: Known;
  /** The telephone provider. */
  line: CallProvider;
  /** Starts a second instance on the same stores. */
  twin(): Promise<TestService<typeof agents>>;
  /** The public id of a record. */
  encode(type: Parameters<typeof ids.encode>[0], api: Api, id: number): string;
  /** Adds a lead to crm and returns its id. */
  aLead(fields?: Partial<WireLead>): number;
  /** Lets the calls to a lead follow these scripts, in order. */
  script(leadId: number, ...scripts: CallScript[]): void;
  /** The calls to a lead. */
  callsTo(leadId: number): ProviderCall[];
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

/**
 * Starts agents with stubs of crm and identity, and a telephone provider.
 * @param provider the settings of an AI provider, which is missing by default, or other ones of the telephone provider
 */
export async function startAgents(
  overrides: Parameters<typeof agentsService>[1] = {},
  provider: Partial<typeof ownSettings> = {},
): Promise<Agents> {
  const known: Known = {
    ...{
      leads: new Map(),
      changes: [],
      history: {},
      requests: [],
      asked: 0,
      failing: 0,
      refusal: undefined,
      zone: 'UTC',
      runsPerDay: undefined,
    },
    features: ['agents'],
    user: { status: 'active', permissions: everyPermission },
  };
  let lastLeadId = 0;
  const { url, close } = await startPeers(known);
  const line = await startCallProvider((address, form, headers) => deliver(service, address, { form, headers }));
  let shared: Awaited<ReturnType<typeof testSettings>> | undefined;
  const start = () =>
    testService(
      'agents',
      (settings) => {
        shared = settings;
        const own = { ...ownSettings, ...line.settings, ...provider, CRM_URL: url, IDENTITY_URL: url };
        return agentsService({ ...settings, ...own }, overrides);
      },
      shared,
    );
  const service: TestService<typeof agents> = await start();
  return {
    ...service,
    known,
    line,
    twin: start,
    encode: (type, api, id) => ids.encode(type, api.caller.tenantId as number, id),
    aLead(fields = {}) {
      const id = ++lastLeadId;
      known.leads.set(id, leadOf(id, fields));
      return id;
    },
    script: (leadId, ...scripts) => line.script(phoneOf(leadId), ...scripts),
    callsTo: (leadId) => line.calls.filter(({ to }) => to === phoneOf(leadId)),
    forget: (leadId) => void known.leads.delete(leadId),
    asked: () => known.asked,
    runsPerDay(maximum) {
      known.runsPerDay = maximum;
    },
    timezone(zone) {
      known.zone = zone;
    },
    users(status, permissions = everyPermission) {
      known.user = { status, permissions };
    },
    failNext(times) {
      known.failing = times;
    },
    async close() {
      await service.close();
      await Promise.all([close(), line.close()]);
    },
  };
}

/** Passes a report of the telephone provider on, as the gateway does. */
export async function deliver(
  service: TestService<typeof agents>,
  address: string,
  { form, headers }: { form: string; headers: Record<string, string> },
): Promise<number> {
  const token = address.slice(publicUrl.length).split('/').at(-2);
  const { tenantId: _, ...caller } = service.as({ type: 'anonymous', permissions: [] }).caller;
  const raw = { content: form, type: 'application/x-www-form-urlencoded' };
  const row = service.operations.receiveCallStatus;
  return (await service.send(row, { params: { token }, raw, headers }, caller)).status;
}

/** The tenant's caller, with something to say. */
export async function aCaller(api: Api, fields: object = {}): Promise<string> {
  const id = await agentOf(api, 'caller');
  const body = { config: { script: 'Good morning' }, ...fields };
  await api.updateAgent({ params: { id }, body });
  return id;
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
  const id = kind === 'caller' ? await aCaller(api) : await agentOf(api, kind);
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
