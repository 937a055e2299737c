import type { Scope } from '@tandem/tenant-db';
import { until } from '@tandem/testing';
import pg from 'pg';
import { type CrmDatabase, openCrmDatabase } from '../../crm.test-service.ts';
import type { Tx } from '../../handler.ts';
import { detectDuplicates } from './on-lead-changed.ts';

const scope: Scope = { tenantId: 1, environment: 'live' };

let database: CrmDatabase;
let db: CrmDatabase['db'];
beforeAll(async () => {
  database = await openCrmDatabase();
  ({ db } = database);
});
afterAll(() => database?.close());

// On a busy machine, a transaction may wait for longer than these.
const timeouts = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'];

// Each makes PostgreSQL read the leads in another order: by id, or in the order in which they were inserted.
const inIdOrder = ['enable_seqscan', 'enable_bitmapscan'];
const inInsertedOrder = ['enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan'];

/** Handles the creation of a lead, with these ways to read a table disabled. */
const detect = (leadId: number, disabled: string[]) =>
  db.transaction(scope, async () => {
    const tx = db.tx as Tx;
    for (const name of timeouts) await tx.sql`SELECT set_config(${name}, '0', true)`;
    for (const name of disabled) await tx.sql`SELECT set_config(${name}, 'off', true)`;
    const event = { name: 'lead.created', target: { type: 'lead', id: leadId } };
    await detectDuplicates.handle([event] as never, { tx } as never);
  });

/** Another connection to the data of the scope. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.settings.DATABASE_URL });
  await client.connect();
  await client.query(`SELECT set_config('app.tenant_id', '1', false), set_config('app.environment', 'live', false)`);
  for (const name of timeouts) await client.query(`SELECT set_config($1, '0', false)`, [name]);
  return client;
}

/** How many connections wait for a lock. */
async function waiting(): Promise<number> {
  const found = await db.within(
    scope,
    () => db.tx.sql`SELECT FROM pg_locks WHERE NOT granted AND pid IN (
      SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
  );
  return found.length;
}

it('two batches with the same leads do not end in a deadlock', async () => {
  const shared = { firstName: 'Ada', lastName: 'Byron', phone: '+491701111111' };
  const lead = (id: number, fields: object) => ({ ...shared, id, email: `lead${id}@example.com`, ...fields });
  await db.within(scope, () =>
    db.tx.lead.createMany({
      data: [
        ...[3, 2, 1].map((id) => lead(id, {})),
        // These share nothing with each other, so no pair is in both batches: each would wait for the other's pair.
        lead(4, { firstName: 'Grace', lastName: 'Hopper' }),
        lead(5, { phone: '+491702222222' }),
      ],
    }),
  );
  const holder = await connect();
  try {
    await holder.query('BEGIN');
    // Both batches lock the leads that come before this one in their order, and then wait.
    expect((await holder.query('SELECT FROM lead WHERE id = 2 FOR NO KEY UPDATE')).rowCount).toBe(1);
    const batches = Promise.allSettled([detect(4, inIdOrder), detect(5, inInsertedOrder)]);
    await until('both batches wait for a lock', async () => (await waiting()) === 2);
    await holder.query('COMMIT');
    expect((await batches).map((batch) => ('reason' in batch ? batch.reason : 'done'))).toEqual(['done', 'done']);
  } finally {
    await holder.end();
  }
  expect(await db.within(scope, () => db.tx.duplicatePair.count())).toBe(6);
});

it('a lead is not paired with itself when its address changes by one letter meanwhile', async () => {
  const phone = '+491703333333';
  const lead = { id: 11, email: 'jane.doe@firm.example', firstName: 'Jane', lastName: '-', phone };
  await db.within(scope, () => db.tx.lead.createMany({ data: [lead] }));
  const holder = await connect();
  try {
    await holder.query('BEGIN');
    // The lead was stored without the key of its phone, so its detection has read it when it waits for this lock.
    await holder.query(`SELECT pg_advisory_xact_lock(hashtextextended('match keys', 3))`);
    const detected = detect(lead.id, []);
    await until('the detection waits', async () => (await waiting()) === 1);
    await db.within(scope, () =>
      db.tx.lead.updateMany({ where: { id: lead.id }, data: { email: 'jane.deo@firm.example' } }),
    );
    await holder.query('COMMIT');
    await detected;
  } finally {
    await holder.end();
  }
  const itself = { firstLeadId: lead.id, secondLeadId: lead.id };
  expect(await db.within(scope, () => db.tx.duplicatePair.count({ where: itself }))).toBe(0);
});
