import { until } from '@tandem/testing';
import { type Google, startGoogle } from '@tandem/testing/google';
import { connect } from '../../google.test-service.ts';
import { type Api, type Integrations, startIntegrations } from '../../testing.ts';
import { startCalendarPeer } from '../sync/calendar.test-service.ts';

let google: Google;
let crm: Awaited<ReturnType<typeof startCalendarPeer>>;
let service: Integrations;
beforeAll(async () => {
  google = await startGoogle();
  crm = await startCalendarPeer();
  service = await startIntegrations({ ...google.settings, CRM_URL: crm.url });
});
afterAll(async () => {
  await service?.close();
  await crm?.close();
  await google?.close();
});

const [owner, colleague] = [701, 702];

/** The calendar of one user, synced by their config, and a colleague in the same tenant. */
async function aCalendar() {
  const api = service.as({ userId: owner });
  const { tenantId } = api.caller as { tenantId: number };
  const connectionId = await connect(service, google, api);
  const body = { connectorKey: 'google_calendar', connectionId };
  const { data } = await api.createConnectorConfig({ body });
  const params = { id: data.id as string };
  await until('the first sync has ended', async () => {
    const { data: runs } = await api.listConnectorRuns({ params });
    return runs[0]?.status === 'succeeded';
  });
  // A sync that is in progress when the account changes.
  await service.sqlWithin(
    api.caller,
    `UPDATE connector_run SET status = 'waiting', completed_at = NULL, next_attempt_at = now() + interval '1 hour'`,
  );
  const shown = async () => (await api.getConnectorConfig({ params })).data;
  const statuses = async () =>
    (await api.listConnectorRuns({ params })).data.map(({ status }: { status: string }) => status);
  return { api, other: service.as({ tenantId, userId: colleague }), connectionId, params, body, shown, statuses };
}

const becomesAnotherAccount = (api: Api) =>
  service.sqlWithin(api.caller, `UPDATE connection SET account_id = 'bob@example.com'`);

describe('a colleague who authorizes the connection of somebody else', () => {
  it('with another account makes the configs of its owner inactive, who authorizes them again', async () => {
    const { api, other, connectionId, params, shown, statuses } = await aCalendar();
    await becomesAnotherAccount(api);
    await connect(service, google, other, { connectionId });
    expect(await shown()).toMatchObject({ active: false, inactiveReason: 'account_changed', nextSyncAt: null });
    expect(await statuses()).toEqual(['cancelled']);
    expect((await api.getConnection({ params: { id: connectionId } })).data.account.id).toBe('ada@example.com');
    expect((await other.updateConnectorConfig({ params, body: { active: true } })).status).toBe(403);
    const again = await api.updateConnectorConfig({ params, body: { active: true } });
    expect(again.data).toMatchObject({ active: true, inactiveReason: null, authorizedBy: `${owner}` });
    expect(again.data.nextSyncAt).not.toBeNull();
  });

  it('with the same account changes nothing', async () => {
    const { other, connectionId, shown, statuses } = await aCalendar();
    const before = await shown();
    await connect(service, google, other, { connectionId });
    expect(await shown()).toEqual(before);
    expect(await statuses()).toEqual(['waiting']);
  });

  it('with an account that cannot be read makes them inactive too', async () => {
    const { other, connectionId, shown } = await aCalendar();
    google.calendar.failNext(403, 'insufficientPermissions');
    await connect(service, google, other, { connectionId });
    expect(await shown()).toMatchObject({ active: false, inactiveReason: 'account_changed' });
  });
});

it('the owner who authorizes another account keeps the configs', async () => {
  const { api, connectionId, shown } = await aCalendar();
  await becomesAnotherAccount(api);
  await connect(service, google, api, { connectionId });
  expect(await shown()).toMatchObject({ active: true, inactiveReason: null });
});

it('replaced credentials make the configs of others inactive, and keep those of the user who replaces them', async () => {
  const api = service.as({ userId: owner });
  const { tenantId } = api.caller as { tenantId: number };
  const other = service.as({ tenantId, userId: colleague });
  const credentials = { auth: 'none', baseUrl: 'http://127.0.0.1:9/' };
  const { data } = await api.createConnection({ body: { connectorKey: 'rest', name: 'ERP', credentials } });
  const body = { connectorKey: 'rest', connectionId: data.id, settings: { events: ['lead.created'] } };
  const [first, second] = [
    (await api.createConnectorConfig({ body })).data,
    (await other.createConnectorConfig({ body })).data,
  ];
  const params = { id: data.id as string };
  await other.updateConnection({ params, body: { name: 'Our ERP' } });
  const activeOnes = async () =>
    (await api.listConnectorConfigs()).data
      .filter((one: { active: boolean }) => one.active)
      .map(({ id }: { id: string }) => id);
  expect((await activeOnes()).toSorted()).toEqual([first.id, second.id].toSorted());
  await other.updateConnection({ params, body: { credentials } });
  expect(await activeOnes()).toEqual([second.id]);
  expect((await api.getConnectorConfig({ params: { id: first.id } })).data.inactiveReason).toBe('account_changed');
});

describe('a calendar that somebody else connected', () => {
  it.each<[string, (to: Awaited<ReturnType<typeof aCalendar>>) => ReturnType<Api['getConnection']>]>([
    ['a new config', ({ other, body }) => other.createConnectorConfig({ body })],
    ['other settings', ({ other, params }) => other.updateConnectorConfig({ params, body: { settings: {} } })],
    [
      'activating one',
      async ({ api, other, params }) => {
        await api.updateConnectorConfig({ params, body: { active: false } });
        return other.updateConnectorConfig({ params, body: { active: true } });
      },
    ],
    [
      'moving one to it',
      async ({ other, body, connectionId }) => {
        const own = await connect(service, google, other);
        const { data } = await other.createConnectorConfig({ body: { ...body, connectionId: own, active: false } });
        return other.updateConnectorConfig({ params: { id: data.id }, body: { connectionId } });
      },
    ],
    [
      'a config by a key without a user',
      ({ api, body }) =>
        service
          .as({ tenantId: api.caller.tenantId as number, userId: undefined } as never)
          .createConnectorConfig({ body }),
    ],
  ])('refuses %s', async (_, attempt) => {
    const calendar = await aCalendar();
    const reply = await attempt(calendar);
    expect([reply.status, reply.body.errors]).toEqual([
      403,
      [{ field: 'connectionId', message: expect.stringContaining('you created') }],
    ]);
    expect(
      (await calendar.api.listConnectorConfigs({ query: { connectionId: calendar.connectionId } })).data,
    ).toHaveLength(1);
  });

  it('can be deactivated by everybody who may write connections', async () => {
    const { other, params } = await aCalendar();
    const reply = await other.updateConnectorConfig({ params, body: { active: false } });
    expect(reply.data).toMatchObject({ active: false, authorizedBy: `${owner}` });
  });

  it('is open to all if a key without a user connected it', async () => {
    const { api, other, body } = await aCalendar();
    await service.sqlWithin(api.caller, 'UPDATE connection SET created_by = NULL');
    expect((await other.createConnectorConfig({ body })).status).toBe(201);
  });
});
