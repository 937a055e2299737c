import { readFile } from 'node:fs/promises';
import type { crm } from '@tandem/crm-contract';
import type { TestService } from '@tandem/testing';
import { startCrm } from './crm.test-service.ts';

let service: TestService<typeof crm>;
beforeAll(async () => {
  service = await startCrm();
});
afterAll(() => service?.close());

const migration = new URL('../prisma/migrations/20261122014500_mark_paired_leads/migration.sql', import.meta.url);

it('the migration marks paired leads of every tenant', async () => {
  const tenants = [service.as(), service.as({ environment: 'sandbox' })];
  for (const { caller } of tenants) {
    await service.sqlWithin(
      caller,
      `WITH made AS (
        INSERT INTO lead (email, first_name, last_name) SELECT 'a@example.com', 'A', n::text FROM generate_series(1, 3) AS n
        RETURNING id)
      INSERT INTO duplicate_pair (first_lead_id, second_lead_id, confidence, matched_on)
      SELECT min(id), min(id) + 1, 1, ARRAY['email'] FROM made`,
    );
  }
  const marks = () =>
    Promise.all(
      tenants.map(async ({ caller }) => {
        const rows = await service.sqlWithin(caller, 'SELECT is_paired FROM lead ORDER BY id');
        return rows.map((row) => row.is_paired);
      }),
    );
  expect(await marks()).toEqual([Array(3).fill(false), Array(3).fill(false)]);
  await service.sql(await readFile(migration, 'utf8'));
  expect(await marks()).toEqual(Array(2).fill([true, true, false]));
  const forced = `SELECT FROM pg_class WHERE relname IN ('lead', 'duplicate_pair') AND relforcerowsecurity`;
  expect(await service.sql(forced)).toHaveLength(2);
});
