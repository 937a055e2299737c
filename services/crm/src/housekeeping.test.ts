import { testService } from '@tandem/testing';
import pg from 'pg';
import { alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

it('housekeeping leaves a table to the instance that works on it, and removes its rows afterwards', async () => {
  let ownerUrl = '';
  const service = await testService('crm', (settings) => {
    ownerUrl = settings.ownerUrl;
    return crmService({ ...settings, ...alone });
  });
  const other = new pg.Client({ connectionString: ownerUrl });
  try {
    await other.connect();
    await service.sql('ALTER TABLE platform.inbox NO FORCE ROW LEVEL SECURITY');
    await service.sql(`INSERT INTO platform.inbox (consumer, event_id, tenant_id, environment, received_at)
      SELECT 'a', gen_random_uuid(), 1, 'live', now() - interval '15 days' FROM generate_series(1, 3)`);
    const rows = async () => (await service.sql('SELECT 1 FROM platform.inbox')).length;
    await other.query('BEGIN');
    await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('housekeeping platform.inbox', 0))`);
    expect(await service.housekeep()).toEqual([]);
    expect(await rows()).toBe(3);
    await other.query('COMMIT');
    expect(await service.housekeep()).toEqual([]);
    expect(await rows()).toBe(0);
  } finally {
    await other.end();
    await service.close();
  }
});
