import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { agents } from '@tandem/agents-contract';
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
  /** Lets crm fail as often as this. */
  failNext(times: number): void;
}

export type Api = ReturnType<Agents['as']>;

/** Starts agents beside a crm that answers what the test gives it. */
export async function startAgents(overrides: Parameters<typeof agentsService>[1] = {}): Promise<Agents> {
  const leads = new Map<number, WireLead>();
  let made = 0;
  let asked = 0;
  let failing = 0;
  const crm = createServer(async (request, response) => {
    asked++;
    const { ids: wanted } = JSON.parse(await text(request)) as { ids: string[] };
    response.setHeader('content-type', 'application/json');
    if (failing > 0) {
      failing--;
      response.writeHead(503).end(JSON.stringify({ success: false, code: 'unavailable', message: 'Later' }));
      return;
    }
    response.end(JSON.stringify({ success: true, data: wanted.flatMap((id) => leads.get(Number(id)) ?? []) }));
  });
  await new Promise<void>((resolve) => crm.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(crm.address() as AddressInfo).port}`;
  const service = await testService('agents', (given) => agentsService({ ...given, ...own, CRM_URL: url }, overrides));
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
    failNext(times) {
      failing = times;
    },
    async close() {
      await service.close();
      crm.closeAllConnections();
      await new Promise((resolve) => crm.close(resolve));
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
