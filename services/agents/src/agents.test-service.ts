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

/** agents as a test has it, with leads that crm knows. */
export interface Agents extends TestService<typeof agents> {
  /** A lead of crm; its number. */
  aLead(fields?: Partial<WireLead>): number;
  /** Takes a lead from crm. */
  forget(leadId: number): void;
  /** How often crm was asked. */
  asked(): number;
  /** The time zone of tenants, as identity has it; UTC unless a test sets another. */
  timezone(zone: string): void;
  /** Lets crm fail as often as this. */
  failNext(times: number): void;
}

export type Api = ReturnType<Agents['as']>;

/** Starts agents beside a crm and an identity that answer what the test gives them. */
export async function startAgents(overrides: Parameters<typeof agentsService>[1] = {}): Promise<Agents> {
  const leads = new Map<number, WireLead>();
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  let made = 0;
  let asked = 0;
  let failing = 0;
  let zone = 'UTC';
  const peers = createServer(async (request, response) => {
    if (request.url === '/internal/tenants/settings') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ success: true, data: { timezone: zone, locale: 'en', currency: 'EUR' } }));
      return;
    }
    asked++;
    const header = request.headers[callerHeader] as string;
    const caller = signer.verify(header, request.method as string, request.url as string);
    const { ids: wanted } = JSON.parse(await text(request)) as { ids: string[] };
    response.setHeader('content-type', 'application/json');
    if (failing > 0) {
      failing--;
      response.writeHead(503).end(JSON.stringify({ success: false, code: 'unavailable', message: 'Later' }));
      return;
    }
    const found = wanted.flatMap((id) => leads.get(Number(id)) ?? []);
    const { narrow } = caller ?? {};
    const reached = narrow ? found.filter(({ assignedTo }) => assignedTo === String(narrow.userId)) : found;
    const isFilter = request.url === '/internal/leads/filter';
    response.end(JSON.stringify({ success: true, data: isFilter ? { ids: reached.map(({ id }) => id) } : reached }));
  });
  await new Promise<void>((resolve) => peers.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(peers.address() as AddressInfo).port}`;
  const service = await testService('agents', (given) =>
    agentsService({ ...given, ...own, CRM_URL: url, IDENTITY_URL: url }, overrides),
  );
  return {
    ...service,
    aLead(fields = {}) {
      const id = ++made;
      leads.set(id, {
        ...{ id: String(id), email: `lead${id}@example.com`, firstName: 'Ada', lastName: 'Lovelace' },
        ...{ phone: '+491701234567', status: 'new', score: 10, source: 'web', assignedTo: null },
        createdAt: new Date().toISOString(),
        ...fields,
      });
      return id;
    },
    forget: (leadId) => void leads.delete(leadId),
    asked: () => asked,
    timezone(given) {
      zone = given;
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

/** The id of a tenant's agent of a kind. */
export async function agentOf(api: Api, kind: 'caller' | 'recommender'): Promise<string> {
  return (await api.listAgents({ query: { kind } })).data[0].id;
}

/** What a client calls a lead. */
export function codeOf(api: Api, leadId: number): string {
  return ids.encode('lead', api.caller.tenantId as number, leadId);
}

/** Sends an agent to leads and waits until nothing of it is at work any more. */
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
