import { until } from '@tandem/testing';
import { anonymous, aTenant, fleet, password, type Service, startIdentity } from '../../identity.test-service.ts';
import { deviceOf } from './device.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

/** A user with two sessions; calls are made in the newer one. */
async function twoSessions() {
  const tenant = await aTenant(service);
  await anonymous(service, '203.0.113.9').login({ body: { email: tenant.email, password } });
  const [current, other] = (await tenant.owner.listSessions()).data as [{ id: string }, { id: string }];
  const me = tenant.as(tenant.user.id, [], { sessionId: Number(current.id) });
  const isOpen = async (sessionId: string) =>
    (await fleet(service).resolveSession({ body: { tenantId: `${tenant.tenantId}`, sessionId } })).status === 200;
  return { tenant, me, current, other, isOpen };
}

describe("a user's sessions", () => {
  it('are listed with device, address and last use; one is current', async () => {
    const { me, current, other } = await twoSessions();
    const { data, status } = await me.listSessions();
    expect([status, data.map(({ id }: { id: string }) => id)]).toEqual([200, [current.id, other.id]]);
    expect(data[0]).toMatchObject({ current: true, ip: '203.0.113.9', device: 'test', method: 'password' });
    expect(data[1]).toMatchObject({ current: false, method: 'sign_up' });
    expect(data[0].lastSeenAt).not.toBeNull();
    expect(data[0]).not.toHaveProperty('userAgent');
  });

  it('are pages', async () => {
    const { me, other } = await twoSessions();
    const first = await me.listSessions({ query: { limit: '1' } });
    const cursor = first.body.pagination?.nextCursor as string;
    expect((await me.listSessions({ query: { limit: '1', cursor } })).data).toMatchObject([{ id: other.id }]);
  });

  it('end one by one; the current one may end too', async () => {
    const { me, current, other, isOpen, tenant } = await twoSessions();
    expect((await me.endSession({ params: { id: other.id } })).data).toEqual({ id: other.id, deleted: true });
    expect([await isOpen(other.id), await isOpen(current.id)]).toEqual([false, true]);
    expect((await me.endSession({ params: { id: other.id } })).status).toBe(404);
    expect((await me.endSession({ params: { id: current.id } })).status).toBe(200);
    expect((await me.listSessions()).data).toEqual([]);
    const event = await until('the event arrives', () =>
      service.events.find((one) => one.name === 'user.logged_out' && one.tenantId === tenant.tenantId),
    );
    expect(event.data).toMatchObject({ reason: 'ended', sessionId: other.id });
  });

  it('end all but the current one', async () => {
    const { me, current, other, isOpen } = await twoSessions();
    expect((await me.endOtherSessions()).data).toEqual({ ended: 1 });
    expect([await isOpen(other.id), await isOpen(current.id)]).toEqual([false, true]);
    expect((await me.endOtherSessions()).data).toEqual({ ended: 0 });
  });

  it('are hidden from colleagues, who cannot end them', async () => {
    const { tenant, other } = await twoSessions();
    const colleague = tenant.as((await tenant.addUser('owner')).id);
    expect((await colleague.listSessions()).data).toEqual([]);
    expect((await colleague.endSession({ params: { id: other.id } })).status).toBe(404);
    expect((await colleague.endOtherSessions()).data).toEqual({ ended: 0 });
  });

  it('show their last use, at most five minutes late', async () => {
    const { me, tenant, other, isOpen } = await twoSessions();
    const lastSeen = async () => (await me.listSessions()).data[1].lastSeenAt as string;
    const before = await lastSeen();
    await isOpen(other.id);
    expect(await lastSeen()).toBe(before);
    await service.sql(
      `SELECT set_config('app.tenant_id', '${tenant.tenantId}', false); UPDATE session SET last_seen_at = now() - interval '6 minutes'`,
    );
    await isOpen(other.id);
    expect(Date.parse(await lastSeen())).toBeGreaterThanOrEqual(Date.parse(before));
  });
});

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
  ['curl/8.5.0', 'curl'],
  ['<script>', 'Unknown device'],
  [null, 'Unknown device'],
])('names the device of %s', (userAgent, expected) => {
  expect(deviceOf(userAgent)).toBe(expected);
});
