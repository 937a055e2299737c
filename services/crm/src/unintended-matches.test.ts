import { direct, mine, type Run, unguarded, useBothEngines } from './both-engines.test-service.ts';

useBothEngines();

describe('arguments that match more than intended', () => {
  const refused = (run: Run) => expect(direct.within(mine, async () => run(direct.tx))).rejects;

  it.each([
    { id: undefined },
    { id: { equals: undefined } },
    { id: { in: undefined } },
    { id: { in: [1, undefined] } },
    { createdAt: { lt: undefined } },
    { AND: undefined },
    { OR: [{ id: 1 }, { email: undefined }] },
  ])('rejects an undefined condition: %j', async (where) => {
    await refused((tx) => tx.lead.deleteMany({ where } as never)).toThrow('is undefined');
    await refused((tx) => tx.lead.updateMany({ where, data: { score: 1 } } as never)).toThrow('is undefined');
    await refused((tx) => tx.lead.findMany({ where } as never)).toThrow('is undefined');
    // Without the guard, Prisma itself rejects it (strictUndefinedChecks).
    const run = () => unguarded.tx.lead.deleteMany({ where } as never);
    await expect(unguarded.within(mine, run)).rejects.toThrow('undefined');
  });

  it.each([
    undefined,
    {},
    { AND: [] },
    { AND: [{}, {}] },
    { OR: [{}, { id: 1 }] },
    { NOT: [] },
    { id: {} },
    { NOT: { OR: [] } },
    { NOT: { id: { in: [] } } },
    { id: { notIn: [] } },
    { firstName: { mode: 'insensitive' } },
  ])('requires a condition to update or delete many records: %j', async (where) => {
    const args = where === undefined ? {} : { where };
    await refused((tx) => tx.lead.deleteMany(args as never)).toThrow('requires a condition');
    await refused((tx) => tx.lead.updateMany({ ...args, data: { score: 1 } } as never)).toThrow('requires a condition');
  });

  it('rejects an undefined value in a record, at any depth', async () => {
    const data = { email: 'u@example.com', firstName: 'A', lastName: 'B' };
    await refused((tx) => tx.lead.create({ data: { ...data, phone: undefined } } as never)).toThrow('data.phone');
    await refused((tx) =>
      tx.lead.createMany({ data: [data, { ...data, customFields: { a: undefined } }] } as never),
    ).toThrow('data.1.customFields.a');
    await refused((tx) => tx.lead.updateMany({ where: { id: 1 }, data: { phone: undefined } } as never)).toThrow(
      'phone',
    );
  });
});
