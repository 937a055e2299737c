import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { analytics } from '@tandem/analytics-contract';
import { callerHeader, createCallerSigner } from '@tandem/caller';
import { type TestService, testService } from '@tandem/testing';
import { analyticsService } from './service.ts';

export interface Analytics extends TestService<typeof analytics> {
  /** Removes a lead from crm. */
  forget(leadId: string): void;
}

const stages = [
  { code: 'prospecting', isClosed: false, isWon: false },
  { code: 'proposal', isClosed: false, isWon: false },
  { code: 'closed_won', isClosed: true, isWon: true },
  { code: 'closed_lost', isClosed: true, isWon: false },
];

/** Starts analytics with a stub of crm where every tenant has leads 1 to 899, in live only, and the pipeline 1 with these stages. */
export async function startAnalytics(): Promise<Analytics> {
  const forgotten = new Set<string>();
  const signer = createCallerSigner(process.env.INTERNAL_SECRETS as string);
  const crm = createServer(async (request, response) => {
    const header = request.headers[callerHeader] as string;
    const caller = signer.verify(header, request.method as string, request.url as string);
    const body = JSON.parse(await text(request)) as { ids: string[]; id?: string | null };
    if (request.url === '/internal/pipelines/read') {
      const isKnown = body.id === null || body.id === '1';
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? { success: true, data: { id: '1', stages } } : { code: 'not_found' }));
      return;
    }
    const { ids } = body;
    const exists = (id: string) => caller?.environment === 'live' && Number(id) < 900 && !forgotten.has(id);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data: { ids: ids.filter(exists) } }));
  });
  await new Promise<void>((resolve) => crm.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(crm.address() as AddressInfo).port}`;
  const service = await testService('analytics', (settings) => analyticsService({ ...settings, CRM_URL: url }));
  return {
    ...service,
    forget: (leadId) => void forgotten.add(leadId),
    async close() {
      await service.close();
      crm.closeAllConnections();
      await new Promise((resolve) => crm.close(resolve));
    },
  };
}
