import { leadCreated } from '@tandem/crm-contract';
import { connectorRuns } from '@tandem/integrations-contract';
import { everyOperation, until } from '@tandem/testing';
import {
  type Answer,
  type Api,
  closingReceivers,
  type Integrations,
  leadData,
  publish,
  startIntegrations,
} from '../../testing.ts';

const receiver = closingReceivers();
let service: Integrations;
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

/** A config that sends new leads to the system of a user, which answers like this. */
async function aConfig(api: Api, ...answers: Answer[]) {
  const system = await receiver(...answers);
  const credentials = { auth: 'none', baseUrl: system.url };
  const { data: connection } = await api.createConnection({ body: { connectorKey: 'rest', name: 'ERP', credentials } });
  const { data: config } = await api.createConnectorConfig({
    body: { connectorKey: 'rest', connectionId: connection.id, settings: { events: ['lead.created'] } },
  });
  return { system, connection, config, params: { id: config.id as string } };
}

/** Publishes the event of a new lead, and waits until its run has a status. */
async function aRun(api: Api, params: { id: string }, status: string) {
  await publish(service, leadCreated, api.caller as never, leadData());
  return inStatus(api, params, status);
}

function inStatus(api: Api, params: { id: string }, status: string) {
  return until(`a run is ${status}`, async () => {
    const { data } = await api.listConnectorRuns({ params });
    return data[0]?.status === status && data[0];
  });
}

describe('an action on an event', () => {
  it('has a run that tells how its attempts ended, and each call is in the API log', async () => {
    const api = service.as({ userId: 7 });
    const { params, config } = await aConfig(api, 503, 200);
    const run = await aRun(api, params, 'succeeded');
    expect(run).toMatchObject({
      ...{ configId: config.id, connectorKey: 'rest', trigger: 'event', attempts: 1, error: null, nextAttemptAt: null },
      ...{ eventId: expect.any(String), allowedTransitions: [], startedAt: expect.any(String) },
      counts: { created: 0, updated: 0, deleted: 0, sent: 1, unchanged: 0, skipped: 0, failed: 0 },
    });
    expect((await api.getConnectorRun({ params: { ...params, runId: run.id } })).data).toEqual(run);
    const { data: calls } = await api.listApiLogs({ query: { direction: 'outbound', sort: 'createdAt' } });
    expect(calls).toMatchObject([
      { method: 'POST', path: '/hook/', status: 503, errorCode: 'provider_unavailable', actingUserId: '7' },
      { method: 'POST', path: '/hook/', status: 200, errorCode: null },
    ]);
  });

  it('that failed can be started again, and has all its attempts', async () => {
    const api = service.as();
    const { params, system } = await aConfig(api, 400, 400, 400, 503, 200);
    const failed = await aRun(api, params, 'failed');
    expect(failed).toMatchObject({ error: 'status_400', attempts: 3, allowedTransitions: ['queued'] });
    const { status, data } = await api.retryConnectorRun({ params: { ...params, runId: failed.id } });
    expect([status, data.status, data.attempts]).toEqual([202, 'queued', 0]);
    const again = await inStatus(api, params, 'succeeded');
    expect([again.id, again.attempts, system.requests.length]).toEqual([failed.id, 1, 5]);
    const twice = await api.retryConnectorRun({ params: { ...params, runId: failed.id } });
    expect([twice.status, twice.body.code]).toEqual([409, 'run_not_failed']);
  });

  it('that fails causes no event on which a config could act again', async () => {
    const api = service.as({ userId: 4711 });
    const { params, config } = await aConfig(api, 200);
    const settings = { events: ['lead.created', 'integration.run_failed'] };
    await api.updateConnectorConfig({ params, body: { settings } });
    service.permissions.set(4711, []);
    await aRun(api, params, 'failed');
    await publish(service, leadCreated, api.caller as never, leadData());
    const runs = await until('both actions have failed', async () => {
      const { data } = await api.listConnectorRuns({ params });
      return data.length > 1 && data.every(({ status }: { status: string }) => status === 'failed') && data;
    });
    expect(runs.map(({ configId }: { configId: string }) => configId)).toEqual([config.id, config.id]);
    const events = service.events.filter(({ tenantId }) => tenantId === api.caller.tenantId);
    expect(events.map(({ name }) => name)).not.toContain('integration.run_failed');
  });

  it('that waits can be cancelled, and is not sent then', async () => {
    const api = service.as();
    const { params, system } = await aConfig(api, (_, response) =>
      response.writeHead(429, { 'retry-after': '3600' }).end(),
    );
    const waiting = await aRun(api, params, 'waiting');
    expect(new Date(waiting.nextAttemptAt).getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    const { data } = await api.cancelConnectorRun({ params: { ...params, runId: waiting.id } });
    expect(data).toMatchObject({ status: 'cancelled', nextAttemptAt: null, completedAt: expect.any(String) });
    await service.sqlWithin(api.caller, `UPDATE platform.job SET due_at = now() WHERE name = 'act-on-event'`);
    await aRun(api, params, 'waiting');
    expect(system.requests).toHaveLength(2);
    const ended = await api.cancelConnectorRun({ params: { ...params, runId: waiting.id } });
    expect([ended.status, ended.body.code]).toEqual([409, 'run_ended']);
  });

  it('that waits can be tried at once', async () => {
    const api = service.as();
    const later: Answer = (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
    const { params, system } = await aConfig(api, later, 200);
    const waiting = await aRun(api, params, 'waiting');
    expect(waiting.allowedTransitions).toEqual(['cancelled', 'queued']);
    expect((await api.retryConnectorRun({ params: { ...params, runId: waiting.id } })).status).toBe(202);
    const run = await inStatus(api, params, 'succeeded');
    expect([run.id, run.attempts, system.requests.length]).toEqual([waiting.id, 0, 2]);
  });

  it('is cancelled with its config, and is started again only with an active one', async () => {
    const api = service.as();
    const { params } = await aConfig(
      api,
      (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
      400,
    );
    await aRun(api, params, 'waiting');
    await api.updateConnectorConfig({ params, body: { active: false } });
    await inStatus(api, params, 'cancelled');
    await api.updateConnectorConfig({ params, body: { active: true } });
    const failed = await aRun(api, params, 'failed');
    await api.updateConnectorConfig({ params, body: { active: false } });
    const reply = await api.retryConnectorRun({ params: { ...params, runId: failed.id } });
    expect([reply.status, reply.body.code]).toEqual([409, 'config_inactive']);
  });

  it('is not repeated when its event is not kept any more', async () => {
    const api = service.as();
    const { params } = await aConfig(api, 400);
    const failed = await aRun(api, params, 'failed');
    await service.sqlWithin(api.caller, 'DELETE FROM event');
    const reply = await api.retryConnectorRun({ params: { ...params, runId: failed.id } });
    expect([reply.status, reply.body.code]).toEqual([409, 'event_gone']);
  });
});

describe('runs', () => {
  it('are found by status and cause', async () => {
    const api = service.as();
    const { params } = await aConfig(api, 400, 400, 400, 200);
    await aRun(api, params, 'failed');
    await aRun(api, params, 'succeeded');
    const count = async (query: Record<string, string>) =>
      (await api.listConnectorRuns({ params, query })).body.pagination?.total;
    expect(
      await Promise.all(
        [{ status: 'failed' }, { status: 'cancelled' }, { trigger: 'event' }, { trigger: 'manual' }].map(count),
      ),
    ).toEqual([1, 0, 2, 0]);
  });

  it('of a connector that acts on events cannot be requested', async () => {
    const api = service.as();
    const { params } = await aConfig(api, 200);
    const reply = await api.syncConnectorConfig({ params, body: {} });
    expect([reply.status, reply.body.code]).toEqual([409, 'nothing_to_sync']);
  });

  it('are hidden from other tenants, the other environment, and callers who are narrowed to their own configs', async () => {
    const api = service.as({ userId: 7 });
    const { params } = await aConfig(api, 400);
    const run = await aRun(api, params, 'failed');
    const { tenantId } = api.caller as { tenantId: number };
    const can = ['integrations:read:own', 'integrations:write:own'];
    const strangers = [
      service.as(),
      service.as({ tenantId, environment: 'sandbox' }),
      service.as({ tenantId, type: 'user', userId: 8, can }),
    ];
    for (const stranger of strangers) {
      const of = { params: { ...params, runId: run.id } };
      const replies = [
        await stranger.listConnectorRuns({ params }),
        await stranger.getConnectorRun(of),
        await stranger.listConnectorRunItems(of),
        await stranger.cancelConnectorRun(of),
        await stranger.retryConnectorRun(of),
        await stranger.syncConnectorConfig({ params, body: {} }),
      ];
      expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(404));
    }
    const owner = service.as({ tenantId, type: 'user', userId: 7, can });
    expect((await owner.getConnectorRun({ params: { ...params, runId: run.id } })).status).toBe(200);
  });
});

describe('previewConnection', () => {
  it('shows what would be sent for the example of an event, and sends nothing', async () => {
    const api = service.as();
    const { connection, system } = await aConfig(api);
    const { data } = await api.previewConnection({
      params: { id: connection.id },
      body: { settings: { events: ['lead.*'] }, fieldMappings: [{ from: 'data.email', to: 'contact.mail' }] },
    });
    expect(data.records).toMatchObject([
      {
        kind: 'event',
        externalId: null,
        source: { type: 'lead.created' },
        result: { contact: { mail: expect.any(String) } },
        errors: [],
      },
    ]);
    expect(system.requests).toEqual([]);
  });

  it.each([
    [{ settings: {} }, 'settings.events'],
    [
      { settings: { events: ['lead.created'] }, fieldMappings: [{ from: 'data.email', to: '__proto__.x' }] },
      'fieldMappings.0.to',
    ],
  ])('refuses %j', async (body, field) => {
    const api = service.as();
    const { connection } = await aConfig(api);
    const reply = await api.previewConnection({ params: { id: connection.id }, body });
    expect([reply.status, reply.body.errors?.[0]?.field]).toEqual([422, field]);
  });
});

everyOperation(connectorRuns, () => service);
