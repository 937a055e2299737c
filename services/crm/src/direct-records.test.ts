import { isTaken, type Scope } from '@tandem/tenant-db';
import {
  direct,
  expectAlike,
  mine,
  outcome,
  prisma,
  type Run,
  throughPrisma,
  useBothEngines,
} from './both-engines.test-service.ts';
import type { Prisma } from './generated/client.ts';

useBothEngines();

describe('records', () => {
  const normalizedRows = async (run: Run) => {
    const rows = (await outcome(direct, run)) as unknown;
    return JSON.parse(
      JSON.stringify(rows, (name, value) => (['id', 'createdAt', 'updatedAt'].includes(name) ? 0 : value)),
    );
  };
  const created: Prisma.LeadCreateManyInput[] = [
    {
      email: 'n1@example.com',
      firstName: 'ü "q" \\',
      lastName: 'B',
      tags: ['a,b', 'c "d"', ''],
      customFields: { a: [null] },
    },
    { email: 'n2@example.com', firstName: 'x', lastName: 'B', tags: [], customFields: { b: 'ü \\ "' } },
  ];

  it('are created alike, singly and in bulk', async () => {
    const one: Run = (tx) => tx.lead.create({ data: created[0] as never });
    const several: Run = (tx) => tx.lead.createManyAndReturn({ data: created });
    expect(throughPrisma).toEqual([]);
    for (const run of [one, several]) {
      const [directRows, prismaRows] = [await normalizedRows(run), await outcome(prisma, run)];
      const plain = JSON.parse(
        JSON.stringify(prismaRows, (name, value) => (['id', 'createdAt', 'updatedAt'].includes(name) ? 0 : value)),
      );
      expect(directRows).toEqual(plain);
    }
  });

  it('that violate a unique or foreign key are rejected with the same error code', async () => {
    await expectAlike((tx) => tx.statusDefinition.updateMany({ where: { code: 'two' }, data: { code: 'one' } }));
    await expectAlike((tx) =>
      tx.duplicatePair.createMany({
        data: [{ firstLeadId: 1, secondLeadId: 999_999, confidence: 1, matchedOn: [] }] as never,
      }),
    );
    const twice = direct.within(mine, () =>
      direct.tx.statusDefinition.create({ data: { entityType: 'lead', code: 'one', name: 'x', sortOrder: 1 } }),
    );
    expect(isTaken(await twice.catch((error) => error))).toBe(true);
  });

  it('are locked by lockFirst until the transaction ends', async () => {
    const { id } = await direct.within(mine, () =>
      direct.tx.lead.create({ data: { email: 'locked@example.com', firstName: 'A', lastName: 'B', score: 0 } }),
    );
    const raise = () =>
      direct.transaction(mine, async () => {
        const read = await direct.tx.lead.lockFirst({ where: { id } });
        await direct.tx.lead.updateMany({ where: { id }, data: { score: (read?.score ?? 0) + 1 } });
      });
    await Promise.all(Array.from({ length: 5 }, raise));
    expect((await direct.within(mine, () => direct.tx.lead.findFirst({ where: { id } })))?.score).toBe(5);
    const theirs: Scope = { tenantId: 2, environment: 'live' };
    expect(await direct.transaction(theirs, () => direct.tx.lead.lockFirst({ where: { id } }))).toBe(null);
    const onJson = () => direct.tx.lead.lockFirst({ where: { customFields: { path: ['a'], gt: 1 } } });
    await expect(direct.transaction(mine, async () => onJson())).rejects.toThrow('the listed conditions');
    await direct.within(mine, () => direct.tx.lead.deleteMany({ where: { id } }));
  });

  it.each([
    ['also against those that refer to them', {}, false],
    ['but not against those that refer to them, with sharesKey', { sharesKey: true as const }, true],
  ])('are locked by lockFirst %s', async (_, options, isReferable) => {
    const { id } = await direct.within(mine, () =>
      direct.tx.lead.create({ data: { email: 'held@example.com', firstName: 'A', lastName: 'B' } }),
    );
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
    const holding = direct.transaction(mine, async () => {
      await direct.tx.lead.lockFirst({ where: { id }, ...options });
      isLocked();
      await released;
    });
    await locked;
    const { referring, changing } = await direct.within(mine, async () => ({
      // As a foreign key, and as services that hold a record which must not be deleted.
      referring: await direct.tx.sql`SELECT id FROM lead WHERE id = ${id} FOR KEY SHARE SKIP LOCKED`,
      changing: await direct.tx.sql`SELECT id FROM lead WHERE id = ${id} FOR NO KEY UPDATE SKIP LOCKED`,
    }));
    release();
    await holding;
    expect([referring.length === 1, changing]).toEqual([isReferable, []]);
    await direct.within(mine, () => direct.tx.lead.deleteMany({ where: { id } }));
  });
});

describe('the ordinary queries of handlers', () => {
  it('never go through Prisma', async () => {
    const none: Prisma.LeadWhereInput = { email: 'nobody@example.com' };
    await direct.transaction(mine, async () => {
      const { lead, duplicatePair } = direct.tx;
      await lead.findMany({ where: { AND: [{ OR: [{ id: 1 }, { tags: { has: 'a' } }] }], NOT: none }, take: 5 });
      await lead.findFirst({ where: { firstName: { contains: 'x', mode: 'insensitive' }, deletedAt: null } });
      await lead.count({ where: { createdAt: { gte: new Date(0), lt: new Date() } } });
      await lead.updateMany({ where: none, data: { version: { increment: 1 } } });
      await lead.updateManyAndReturn({ where: none, data: { score: 1 }, select: { id: true } });
      await lead.deleteMany({ where: none });
      await lead.lockFirst({ where: none });
      await duplicatePair.findMany({
        where: { firstLead: { id: 1 } },
        orderBy: [{ confidence: 'desc' }, { id: 'asc' }],
      });
      await duplicatePair.lockFirst({ where: { secondLead: { OR: [{ assignedTo: 1 }, { createdBy: 1 }] } } });
    });
    expect(throughPrisma).toEqual([]);
  });
});
