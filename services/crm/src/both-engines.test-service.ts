import { createTenantDb, type Scope } from '@tandem/tenant-db';
import { testSettings } from '@tandem/testing';
import { Prisma, PrismaClient } from './generated/client.ts';

// packages/tenant-db writes a fixed set of queries as SQL and passes others to Prisma's engine. Both must behave alike.

export const mine: Scope = { tenantId: 1, environment: 'live' };
let settings: Awaited<ReturnType<typeof testSettings>>;
export let direct: ReturnType<typeof open>;
export let prisma: ReturnType<typeof open>;
export let throughPrisma: string[] = [];
/** Prisma's engine without the tenant guard: no model is treated as tenant-scoped. */
export let unguarded: ReturnType<typeof open>;
const open = (engine: 'direct' | 'prisma', models: object = Prisma) =>
  createTenantDb({
    url: settings.DATABASE_URL,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: models,
    throughPrisma: (model, operation) => throughPrisma.push(`${model}.${operation}`),
    engine,
  });

export const texts = ['', 'a', 'A', 'ab', 'a%b', 'a_b', 'a\\b', `it's "quoted"`, 'ü€𝄞', ' a '];
export const times = ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.679Z', '1999-12-31T23:59:59.999Z'].map(
  (time) => new Date(time),
);
export const integers = [0, 1, 2, -1, 7, 2_147_483_647];
// At most 15 digits: Prisma's engine loses the last digit of longer numbers in a list.
export const floats = [0, 1, 12.5, -0.1, 1e10, 0.3];

const leadIds: number[] = [];
/** Opens both engines on one database with leads, before the tests of a file. */
export function useBothEngines(): void {
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
}

export type Run = (tx: typeof direct.tx) => Promise<unknown>;

/** The result of a query, or the kind of its error. Its writes are rolled back. */
export async function outcome(db: typeof direct, run: Run): Promise<unknown> {
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

export async function expectAlike(run: Run): Promise<void> {
  expect(await outcome(direct, run)).toEqual(await outcome(prisma, run));
}
