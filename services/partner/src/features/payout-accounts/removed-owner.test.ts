import { until } from '@tandem/testing';
import pg from 'pg';
import { aPeer, type Peer, type Service, startPartner } from '../../partner.test-service.ts';
import { aPayee, ibans } from '../payouts/payouts.test-service.ts';

let databaseUrl = '';
let peer: Peer;
let service: Service;
beforeAll(async () => {
  peer = await aPeer();
  service = await startPartner(
    peer,
    {},
    {
      onSettings: (settings) => {
        databaseUrl = settings.DATABASE_URL;
      },
    },
  );
});
afterAll(async () => {
  await service?.close();
  await peer?.close();
});

it.each([
  ['deleted', 'DELETE FROM portal_user WHERE id = $1'],
  ['given another role', "UPDATE portal_user SET role = 'member' WHERE id = $1"],
  ['given another password', "UPDATE portal_user SET password_hash = 'another' WHERE id = $1"],
])('an owner who is %s while the request runs sets no account', async (_, text) => {
  const api = service.as();
  const payee = await aPayee(service, api);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT set_config('app.tenant_id', $1, true), set_config('app.environment', 'live', true)`, [
      `${api.caller.tenantId}`,
    ]);
    await client.query('SELECT FROM partner WHERE id = $1 FOR UPDATE', [payee.id]);
    await client.query(text, [payee.user.id]);
    const reply = payee.portal.setPortalPayoutAccount({
      body: { holder: 'Joan Clarke', iban: ibans[0], password: 'a long phrase is best' },
    });
    await until('the request waits for the partner', async () => {
      const { rows } = await client.query(`SELECT FROM pg_locks
        WHERE NOT granted AND locktype = 'transactionid' AND transactionid = pg_current_xact_id()::xid`);
      return rows.length > 0;
    });
    await client.query('COMMIT');
    expect((await reply).status).toBe(401);
  } finally {
    await client.end();
  }
  expect((await api.getPayoutAccount({ params: { id: payee.id } })).data.account).toBeNull();
});
