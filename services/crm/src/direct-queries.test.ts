import fc from 'fast-check';
import {
  direct,
  expectAlike,
  floats,
  integers,
  outcome,
  type Run,
  texts,
  throughPrisma,
  times,
  useBothEngines,
} from './both-engines.test-service.ts';
import type { Prisma } from './generated/client.ts';

useBothEngines();

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
const json = fc.constantFrom<Record<string, unknown>>(
  { customFields: { path: ['index'], gt: 5 } },
  { customFields: { path: ['list'], array_contains: ['a'] } },
  { customFields: { path: ['money'], equals: { amount: 1, currency: 'EUR' } } },
);

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
    const before = throughPrisma.length;
    expect(await outcome(direct, supported)).toHaveLength(5);
    expect(throughPrisma.length).toBe(before);
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
