import { createTenantDb, isTaken, type Scope } from '@tandem/tenant-db';
import { testSettings } from '@tandem/testing';
import fc from 'fast-check';
import { Prisma, PrismaClient } from './generated/client.ts';

// packages/tenant-db writes a fixed set of queries as SQL and passes others to Prisma's engine. Both must behave alike.

const mine: Scope = { tenantId: 1, environment: 'live' };

let settings: Awaited<ReturnType<typeof testSettings>>;
let direct: ReturnType<typeof open>;
let prisma: ReturnType<typeof open>;
let throughPrisma: string[] = [];
/** Prisma's engine without the tenant guard: no model is treated as tenant-scoped. */
let unguarded: ReturnType<typeof open>;
const open = (engine: 'direct' | 'prisma', models: object = Prisma) =>
  createTenantDb({
    url: settings.DATABASE_URL,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: models,
    throughPrisma: (model, operation) => throughPrisma.push(`${model}.${operation}`),
    engine,
  });

const texts = ['', 'a', 'A', 'ab', 'a%b', 'a_b', 'a\\b', `it's "quoted"`, 'ü€𝄞', ' a '];
const times = ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.679Z', '1999-12-31T23:59:59.999Z'].map(
  (time) => new Date(time),
);
const integers = [0, 1, 2, -1, 7, 2_147_483_647];
// At most 15 digits: Prisma's engine loses the last digit of longer numbers in a list.
const floats = [0, 1, 12.5, -0.1, 1e10, 0.3];

const leadIds: number[] = [];
beforeAll(async () => {
  settings = await testSettings('crm');
  direct = open('direct');
  prisma = open('prisma');
  unguarded = open('prisma', {});
  // Few distinct values, so that random conditions both match and miss.
  const row = (index: number): Prisma.LeadCreateManyInput => ({
    email: `lead${index}@example.com`,
    firstName: texts[index % texts.length] as string,
    lastName: texts[(index * 3) % texts.length] as string,
    phone: index % 3 ? (texts[index % 4] as string) : null,
    score: floats[index % floats.length] as number,
    assignedTo: index % 4 ? (integers[index % integers.length] as number) : null,
    tags: texts.slice(0, index % 4),
    customFields: { index, text: texts[index % texts.length] as string, list: [1, null, 'x'] },
    isPaired: index % 2 === 0,
    createdAt: times[index % times.length] as Date,
    deletedAt: index % 5 ? null : (times[index % times.length] as Date),
  });
  await direct.within(mine, async () => {
    const leads = await direct.tx.lead.createManyAndReturn({ data: Array.from({ length: 40 }, (_, i) => row(i)) });
    leadIds.push(...leads.map(({ id }) => id));
    await direct.tx.duplicatePair.createMany({
      data: [0, 1, 2, 3, 4].map((index) => ({
        firstLeadId: leadIds[index] as number,
        secondLeadId: leadIds[index + 10] as number,
        confidence: 0.5,
        matchedOn: ['name'],
      })),
    });
    const codes = ['one', 'two'].map((code) => ({ entityType: 'lead', code, name: code, sortOrder: 1 }));
    await direct.tx.statusDefinition.createMany({ data: codes });
  });
});
beforeEach(() => {
  throughPrisma = [];
});
afterAll(async () => {
  await direct?.close();
  await prisma?.close();
  await unguarded?.close();
  await settings?.drop();
});

type Run = (tx: typeof direct.tx) => Promise<unknown>;

/** The result of a query, or the kind of its error. Its writes are rolled back. */
async function outcome(db: typeof direct, run: Run): Promise<unknown> {
  const undo = new Error('undo');
  let result: unknown;
  try {
    await db.transaction(mine, async () => {
      result = await run(db.tx);
      throw undo;
    });
  } catch (error) {
    if (error !== undo) return { failed: (error as { code?: string; name: string }).code ?? (error as Error).name };
  }
  return result;
}

async function expectAlike(run: Run): Promise<void> {
  expect(await outcome(direct, run)).toEqual(await outcome(prisma, run));
}

const text = fc.constantFrom(...texts);
const field = {
  firstName: text,
  phone: text,
  score: fc.constantFrom(...floats),
  assignedTo: fc.constantFrom(...integers),
  version: fc.constantFrom(...integers),
  isPaired: fc.boolean(),
  createdAt: fc.constantFrom(...times),
  deletedAt: fc.constantFrom(...times),
};
const nullable = new Set(['phone', 'assignedTo', 'deletedAt']);

/** Conditions on one field: the supported forms, and a few that Prisma rejects. */
const comparison = fc.constantFrom(...(Object.keys(field) as (keyof typeof field)[])).chain((name) => {
  const value = field[name] as fc.Arbitrary<unknown>;
  const orNull = fc.oneof(
    { weight: 4, arbitrary: value },
    { weight: nullable.has(name) ? 2 : 0, arbitrary: fc.constant(null) },
  );
  const isText = name === 'firstName' || name === 'phone';
  const forms: fc.Arbitrary<unknown>[] = [orNull, fc.record({ equals: orNull }), fc.record({ not: orNull })];
  if (name !== 'isPaired') {
    forms.push(fc.record({ in: fc.array(value, { maxLength: 3 }) }));
    const bounds = { lt: value, lte: value, gt: value, gte: value, not: orNull };
    forms.push(fc.record(bounds, { requiredKeys: [] }).filter((one) => Object.keys(one).length > 0));
  }
  if (isText) {
    const mode = fc.constantFrom('insensitive', 'default');
    for (const operator of ['contains', 'startsWith', 'endsWith'])
      forms.push(fc.record({ [operator]: text, mode }, { requiredKeys: [operator] }));
  }
  // Values of a wrong type, null for a non-nullable column, unknown operators.
  const refused = fc.constantFrom<unknown>(
    null,
    'x',
    5,
    true,
    {},
    { matches: 'a' },
    { not: { not: 5 } },
    { in: [null] },
  );
  return fc
    .oneof({ weight: 60, arbitrary: fc.oneof(...forms) }, { weight: 1, arbitrary: refused })
    .map((condition) => ({ [name]: condition }));
});
const tags = fc.record({ tags: fc.record({ has: text }) });
const json = fc.constant({ customFields: { path: ['index'], gt: 5 } });

/** Rarely empty: empty lists always go through Prisma. */
const lists = <T>(of: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.array(of, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant<T[]>([]) },
  );

const { where } = fc.letrec<{ where: Record<string, unknown> }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 24, arbitrary: comparison },
    { weight: 2, arbitrary: tags },
    { weight: 1, arbitrary: json },
    { weight: 12, arbitrary: fc.tuple(comparison, comparison).map(([one, other]) => ({ ...one, ...other })) },
    {
      weight: 16,
      arbitrary: fc
        .tuple(fc.constantFrom('AND', 'OR', 'NOT'), lists(tie('where')))
        .map(([word, list]) => ({ [word]: list.length === 1 ? list[0] : list })),
    },
  ),
}));

const sorting = fc.array(
  fc.tuple(fc.constantFrom('score', 'assignedTo', 'createdAt', 'isPaired', 'phone'), fc.constantFrom('asc', 'desc')),
  { maxLength: 2 },
);
const select = fc.option(fc.subarray(['id', 'email', 'tags', 'customFields', 'score', 'createdAt'], { minLength: 1 }), {
  nil: undefined,
});

const runs = { numRuns: 1_000, endOnFailure: true };

describe('thousands of random queries give the same result, or the same kind of error, through both engines', () => {
  it('findMany, findFirst and count', async () => {
    const query = fc.record(
      { where, take: fc.nat(15), skip: fc.nat(10), sort: sorting, chosen: select },
      { requiredKeys: ['where', 'sort'] },
    );
    await fc.assert(
      fc.asyncProperty(query, async ({ where, take, skip, sort, chosen }) => {
        const args = {
          where,
          orderBy: [...sort.map(([name, direction]) => ({ [name]: direction })), { id: 'asc' }],
          ...(take !== undefined && { take }),
          ...(skip !== undefined && { skip }),
          ...(chosen && { select: Object.fromEntries(chosen.map((name) => [name, true])) }),
        } as Prisma.LeadFindManyArgs;
        await expectAlike((tx) => tx.lead.findMany(args));
        const { take: _, skip: __, ...first } = args;
        await expectAlike((tx) => tx.lead.findFirst(first as never));
        await expectAlike((tx) => tx.lead.count({ where } as never));
      }),
      runs,
    );
    // Only conditions on JSON, empty conditions and rejected ones go through Prisma.
    expect(throughPrisma.length).toBeLessThan(runs.numRuns * 3 * 0.5);
  }, 300_000);

  it('updateManyAndReturn, updateMany and deleteMany', async () => {
    const data = fc.record(
      {
        firstName: text,
        phone: fc.option(text),
        score: fc.oneof(fc.constantFrom<unknown>(...floats), fc.constant({ increment: 1.5 })),
        version: fc.constantFrom<unknown>(3, { increment: 1 }, { decrement: 2 }, 'x'),
        tags: fc.array(text, { maxLength: 3 }),
        customFields: fc.constantFrom<object>({}, { a: [null, 'ü "q" \\'] }, [1, { b: false }]),
        isPaired: fc.boolean(),
        deletedAt: fc.option(fc.constantFrom(...times)),
      },
      { requiredKeys: [] },
    );
    const stable = ({ updatedAt: _, ...row }: Record<string, unknown>) => row;
    const byId = (rows: unknown) =>
      (rows as Record<string, unknown>[]).map(stable).sort((one, other) => Number(one.id) - Number(other.id));
    await fc.assert(
      fc.asyncProperty(where, data, async (where, data) => {
        await expectAlike(async (tx) => byId(await tx.lead.updateManyAndReturn({ where, data } as never)));
        await expectAlike((tx) => tx.lead.updateMany({ where, data } as never));
        await expectAlike((tx) => tx.lead.deleteMany({ where } as never));
      }),
      { ...runs, numRuns: 400 },
    );
  }, 300_000);

  it('conditions on one of several related records', async () => {
    const pair = fc.constantFrom<object>({ confidence: 0.5 }, { confidence: { lt: 0.4 } }, { status: 'open' }, {});
    const name = fc.constantFrom('pairsAsFirst', 'pairsAsSecond');
    const quantity = fc.oneof(
      { weight: 20, arbitrary: fc.constant('some') },
      { weight: 1, arbitrary: fc.constantFrom('none', 'every') },
    );
    await fc.assert(
      fc.asyncProperty(where, name, quantity, pair, fc.constantFrom('AND', 'OR', 'NOT'), async (...drawn) => {
        const [other, relation, some, one, word] = drawn;
        const condition = { [word]: [{ [relation]: { [some]: one } }, other] };
        await expectAlike((tx) => tx.lead.findMany({ where: condition, orderBy: { id: 'asc' } } as never));
      }),
      { ...runs, numRuns: 400 },
    );
    const supported: Run = (tx) => tx.lead.findMany({ where: { pairsAsFirst: { some: { confidence: 0.5 } } } });
    throughPrisma = [];
    expect(await outcome(direct, supported)).toHaveLength(5);
    expect(throughPrisma).toEqual([]);
  }, 300_000);

  it('conditions on a related record', async () => {
    await fc.assert(
      fc.asyncProperty(where, where, fc.constantFrom('AND', 'OR', 'NOT'), async (first, second, word) => {
        const condition = { [word]: [{ firstLead: first }, { secondLead: second }, { confidence: { lt: 0.4 } }] };
        await expectAlike((tx) => tx.duplicatePair.findMany({ where: condition, orderBy: { id: 'asc' } } as never));
      }),
      { ...runs, numRuns: 400 },
    );
  }, 300_000);
});

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
