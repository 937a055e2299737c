import type { Tx } from '@tandem/tenant-db';
import { testService, testSettings, until } from '@tandem/testing';
import { alone } from './crm.test-service.ts';
import type { PrismaClient } from './generated/client.ts';
import { crmService } from './service.ts';

// Above the lock timeout of the service's role (2 s), and below its statement timeout (5 s).
const waited = '2.5 seconds';

it('the first requests of a tenant wait for its default records, however many processes they reach', async () => {
  const { drop, ...settings } = await testSettings('crm');
  let prepared = 0;
  const mayCommit = Promise.withResolvers<void>();
  const anInstance = () =>
    testService(
      'crm',
      (own) => {
        const definition = crmService({ ...own, ...alone });
        const firstUse = async (tx: Tx<PrismaClient>) => {
          await definition.firstUse?.(tx);
          prepared++;
          await mayCommit.promise;
        };
        return { ...definition, firstUse };
      },
      { drop: async () => {}, ...settings },
    );
  const [one, other] = await Promise.all([anInstance(), anInstance()]);
  try {
    const first = one.as();
    const same = other.as({ tenantId: first.caller.tenantId as number });
    const lists = [first.listPipelines(), first.listPipelines()];
    await until('the default records are written', () => prepared === 1);
    lists.push(same.listPipelines(), same.listPipelines());
    await until('a request of the other process has waited for long', async () => {
      const [row] = await one.sql(
        `SELECT count(*)::int AS waiting FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE datname = current_database() AND NOT granted AND clock_timestamp() - waitstart > $1::interval`,
        [waited],
      );
      return row?.['waiting'] === 1;
    });
    mayCommit.resolve();
    expect((await Promise.all(lists)).map(({ status, data }) => [status, data.length])).toEqual(
      Array.from({ length: 4 }, () => [200, 1]),
    );
    expect(prepared).toBe(1);
  } finally {
    mayCommit.resolve();
    await one.close();
    await other.close();
    await drop();
  }
});
