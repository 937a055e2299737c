import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { type Google, startGoogle } from '@tandem/testing/google';
import { connect } from '../../google.test-service.ts';
import { type Api, type Integrations, startIntegrations } from '../../testing.ts';

let service: Integrations;
let google: Google;
beforeAll(async () => {
  google = await startGoogle();
  service = await startIntegrations(google.settings);
});
afterAll(async () => {
  await service?.close();
  await google?.close();
});
// Each test has an account of its own: the last connection of an account is revoked, of whichever tenant it is.
beforeEach(() => google.useAccount(`${randomUUID()}@example.com`));

const areRemoved = (api: Api, id: string) =>
  until('the tokens are removed', async () => {
    const [row] = await service.sqlWithin(api.caller, 'SELECT credentials FROM connection WHERE id = $1', [id]);
    return row?.['credentials'] === '';
  });

/** Deletes the first connection, which keeps the grant, and then the second one, which ends it. */
async function expectLastRevokes(first: Api, second: Api) {
  const ids = [await connect(service, google, first), await connect(service, google, second)] as [string, string];
  const { refresh_token } = google.issued.at(-1) as (typeof google.issued)[number];
  const calls = google.calls.revoke;
  await first.deleteConnection({ params: { id: ids[0] } });
  await areRemoved(first, ids[0]);
  expect([google.calls.revoke, await google.isRefreshable(refresh_token)]).toEqual([calls, true]);
  await second.deleteConnection({ params: { id: ids[1] } });
  await until('the grant is revoked', async () => !(await google.isRefreshable(refresh_token)));
  await areRemoved(second, ids[1]);
}

it('keeps the grant while the other environment needs it', async () => {
  const live = service.as();
  const { tenantId } = live.caller as { tenantId: number };
  await expectLastRevokes(service.as({ tenantId, environment: 'sandbox' }), live);
});

it('keeps the grant while another tenant needs it', () => expectLastRevokes(service.as(), service.as()));

it('keeps the grant of a removed tenant while another one needs it', async () => {
  const [removed, other] = [service.as(), service.as()];
  const { tenantId } = removed.caller as { tenantId: number };
  await connect(service, google, removed);
  const id = await connect(service, google, other);
  const { refresh_token } = google.issued.at(-1) as (typeof google.issued)[number];
  const calls = google.calls.revoke;
  const event = {
    ...{ id: randomUUID(), name: 'tenant.deletion_due', tenantId, environment: 'live' },
    ...{ occurredAt: new Date().toISOString(), action: 'tenant.delete' },
    caller: { type: 'system', name: 'identity', requestId: 'test' },
    ...{ target: { type: 'tenant', id: tenantId }, data: { tenantId: String(tenantId) } },
    record: { id: String(tenantId), version: 3 },
  };
  await service.publish(event.name, event, event.id);
  await until('the removal is reported', () =>
    service.events.find((found) => found.name === 'tenant.data_removed' && found.tenantId === tenantId),
  );
  expect(google.calls.revoke).toBe(calls);
  await other.deleteConnection({ params: { id } });
  await until('the grant is revoked', async () => !(await google.isRefreshable(refresh_token)));
}, 30_000);

it('shows the service no connections of others, only whether an account has any', async () => {
  const [api, other] = [service.as(), service.as()];
  await connect(service, google, other);
  const find = (caller: Api['caller'], isOnlyElsewhere: boolean) =>
    service.sqlWithin(caller, `SELECT is_account_connected($1, '{google_calendar}', $2) AS found`, [
      google.account(),
      isOnlyElsewhere,
    ]);
  expect(await find(api.caller, true)).toEqual([{ found: true }]);
  expect(await find(other.caller, false)).toEqual([{ found: true }]);
  expect(await find(other.caller, true)).toEqual([{ found: false }]);
  // The setting of the function admits the owner of the table only.
  const look = `DO $$ BEGIN
    PERFORM set_config('platform.account_check', 'on', true);
    IF EXISTS (SELECT FROM connection) THEN RAISE EXCEPTION 'A connection is visible'; END IF;
  END $$`;
  await expect(service.sql(look)).rejects.toThrow('A connection is visible');
  await expect(service.sqlWithin(api.caller, look)).resolves.toEqual([]);
});
