import { testSettings, until } from '@tandem/testing';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { anonymous, aTenant, password, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
let settings: Awaited<ReturnType<typeof testSettings>>;
beforeAll(async () => {
  settings = await testSettings('identity');
  service = await startIdentity({}, settings);
});
afterAll(async () => {
  await service?.close();
  await settings?.drop();
});

type Call = () => Promise<{ status: number }>;

/** Runs two calls that need the row of a user, the first one ahead of the second one in the queue for its lock. */
async function inOrder({ tenantId, userId }: { tenantId: number; userId: string }, first: Call, second: Call) {
  const holder = new pg.Client({ connectionString: settings.DATABASE_URL });
  await holder.connect();
  try {
    await holder.query(`SELECT set_config('app.tenant_id', $1, false), set_config('app.environment', 'live', false)`, [
      String(tenantId),
    ]);
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM "user" WHERE id = $1 FOR UPDATE', [userId]);
    const replies = [];
    for (const [index, call] of [first, second].entries()) {
      replies.push(call());
      await until('the call waits for the user', async () => {
        const waiting = await service.sql(`SELECT FROM pg_locks WHERE NOT granted
          AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`);
        return waiting.length > index;
      });
    }
    await holder.query('COMMIT');
    return await Promise.all(replies);
  } finally {
    await holder.end();
  }
}

const sessionsOf = async (tenant: Awaited<ReturnType<typeof aTenant>>, userId: string) => {
  const rows = await service.sqlWithin(
    tenant.owner.caller,
    'SELECT FROM session WHERE user_id = $1 AND ended_at IS NULL',
    [userId],
  );
  return rows.length;
};

it.each([
  [
    'a new password',
    (tenant: Awaited<ReturnType<typeof aTenant>>, id: string) =>
      tenant.owner.setUserPassword({ params: { id }, body: { new: 'another long phrase' } }),
  ],
  [
    'a deactivation',
    (tenant: Awaited<ReturnType<typeof aTenant>>, id: string) =>
      tenant.owner.deactivateUser({ params: { id }, body: {} }),
  ],
])('a login in flight does not survive %s', async (_, change) => {
  const tenant = await aTenant(service);
  const user = await tenant.addUser('member');
  const [changed, login] = await inOrder(
    { tenantId: tenant.tenantId, userId: user.id },
    () => change(tenant, user.id),
    () => anonymous(service).login({ body: { email: user.email, password } }),
  );
  expect([changed?.status, login?.status]).toEqual([200, 401]);
  expect(await sessionsOf(tenant, user.id)).toBe(0);
});

it('a second factor in flight does not survive a new password', async () => {
  const tenant = await aTenant(service);
  const user = await tenant.addUser('member');
  const person = tenant.as(user.id);
  const { data: enrolled } = await person.startTotp({ body: {} });
  const app = new TOTP({ secret: Secret.fromBase32(enrolled.secret) });
  await person.confirmTotp({ body: { code: app.generate() } });
  const { data: challenge } = await anonymous(service).login({ body: { email: user.email, password } });
  const [code] = enrolled.recoveryCodes;
  const [changed, login] = await inOrder(
    { tenantId: tenant.tenantId, userId: user.id },
    () => tenant.owner.setUserPassword({ params: { id: user.id }, body: { new: 'another long phrase' } }),
    () => anonymous(service).loginTotp({ body: { challengeToken: challenge.challengeToken, code } }),
  );
  expect([changed?.status, login?.status]).toEqual([200, 401]);
  expect(await sessionsOf(tenant, user.id)).toBe(0);
});
