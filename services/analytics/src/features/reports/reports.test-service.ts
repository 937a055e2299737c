import { until } from '@tandem/testing';
import { type Analytics, publicUrl } from '../../analytics.test-service.ts';
import { report } from '../../records.test-service.ts';

type Api = ReturnType<Analytics['as']>;

const day = (number: number) => new Date(Date.UTC(2026, 2, number, 12)).toISOString();

/** Reports two leads of March 2026, and waits until they are counted. */
export async function reportLeads(service: Analytics, api: Api): Promise<void> {
  const { tenantId, environment } = api.caller;
  const told = { service, tenantId: tenantId as number, environment };
  for (const id of ['1', '2'])
    await report(
      told,
      'lead.created',
      { id, version: 1, createdAt: day(Number(id)) },
      { data: { email: 'ada@example.com', source: 'web' } },
    );
  await until('both leads are counted', async () => {
    const rows = await service.sqlWithin(api.caller, 'SELECT 1 FROM lead_fact');
    return rows.length === 2;
  });
}

/** Creates a report; returns its id. */
export async function aReport(api: Api, body: object = {}): Promise<string> {
  const reply = await api.createReport({ body: { name: 'Month', type: 'dashboard', ...body } });
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
  return reply.data.id;
}

/** Runs a report, and waits until the run has a status. */
export async function run(api: Api, id: string, body: object = {}, status = 'completed') {
  const started = await api.runReport({ params: { id }, body });
  if (started.status !== 202) throw new Error(JSON.stringify(started.body));
  return runReaches(api, { id, runId: started.data.id }, status);
}

export function runReaches(api: Api, params: { id: string; runId: string }, status: string) {
  return until(`the run is ${status}`, async () => {
    const { data } = await api.getReportRun({ params });
    return data.status === status && data;
  });
}

/** Follows a link to a file, without credentials. */
export function download(service: Analytics, url: string) {
  const { tenantId, ...nobody } = service.as({ type: 'anonymous' }).caller;
  const token = url.slice(`${publicUrl}/v1/public/analytics/reports/`.length);
  return service.send(service.operations.downloadReportFile, { params: { token } }, nobody);
}
