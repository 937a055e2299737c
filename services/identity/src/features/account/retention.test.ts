import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;
const within = ({ tenantId }: Tenant, text: string) =>
  service.sqlWithin({ tenantId, environment: 'live' } as never, text);
const countOf = async (tenant: Tenant, table: string) =>
  Number((await within(tenant, `SELECT count(*)::int AS rows FROM ${table}`))[0]?.rows);

it('deletes links a day after they have expired', async () => {
  const [old, recent] = [await aTenant(service), await aTenant(service)];
  for (const tenant of [old, recent])
    await within(
      tenant,
      `INSERT INTO account_token (hash, user_id, purpose, email, expires_at)
       SELECT 'a hash', id, 'password_reset', email, now() FROM "user" LIMIT 1`,
    );
  await within(old, `UPDATE account_token SET expires_at = now() - interval '25 hours'`);
  await within(recent, `UPDATE account_token SET expires_at = now() - interval '23 hours'`);
  expect(await service.housekeep()).toEqual([]);
  expect([await countOf(old, 'account_token'), (await countOf(recent, 'account_token')) > 0]).toEqual([0, true]);
});

it('deletes invitations 90 days after they have expired, whatever became of them', async () => {
  const tenant = await aTenant(service);
  const invite = async (email: string) => (await tenant.owner.inviteUser({ body: { email } })).data.id as string;
  const [pending, withdrawn, recent] = [
    await invite('pending@example.com'),
    await invite('withdrawn@example.com'),
    await invite('recent@example.com'),
  ];
  const age = (ids: string[], days: number) =>
    within(
      tenant,
      `UPDATE invitation SET expires_at = now() - interval '${days} days' WHERE id IN (${ids.map(Number).join()})`,
    );
  await within(tenant, `UPDATE invitation SET status = 'revoked', ended_at = now() WHERE id = ${Number(withdrawn)}`);
  await age([pending, withdrawn], 91);
  await age([recent], 89);
  expect(await service.housekeep()).toEqual([]);
  const { data } = await tenant.owner.listInvitations();
  expect(data.map(({ id }: { id: string }) => id)).toEqual([recent]);
});

it('deletes enrolments that were not confirmed for a day, with their recovery codes, and no others', async () => {
  const [pending, confirmed, recent] = [await aTenant(service), await aTenant(service), await aTenant(service)];
  for (const tenant of [pending, confirmed, recent]) await tenant.owner.startTotp({ body: {} });
  for (const tenant of [pending, confirmed])
    await within(tenant, `UPDATE totp SET created_at = now() - interval '25 hours'`);
  await within(confirmed, 'UPDATE totp SET confirmed_at = now()');
  expect(await service.housekeep()).toEqual([]);
  const rows = async (tenant: Tenant) => [await countOf(tenant, 'totp'), await countOf(tenant, 'recovery_code')];
  expect([await rows(pending), await rows(confirmed), await rows(recent)]).toEqual([
    [0, 0],
    [1, 10],
    [1, 10],
  ]);
});
