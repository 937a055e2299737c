import { createTenantDb, type Scope, statement } from '@tandem/tenant-db';
import { testSettings, until } from '@tandem/testing';
import pg from 'pg';
import { Prisma, PrismaClient } from './generated/client.ts';

// What packages/tenant-db promises about connections and transactions, on a real service's tables.

const mine: Scope = { tenantId: 1, environment: 'live' };
const theirs: Scope = { tenantId: 2, environment: 'live' };
const lead = (email: string) => ({ email, firstName: 'A', lastName: 'B' });

let settings: Awaited<ReturnType<typeof testSettings>>;
let db: ReturnType<typeof open>;
const open = () =>
  createTenantDb({ url: settings.DATABASE_URL, client: (adapter) => new PrismaClient({ adapter }), prisma: Prisma });

beforeAll(async () => {
  settings = await testSettings('crm');
  db = open();
});
afterAll(async () => {
  await db?.close();
  await settings?.drop();
});

const emails = (scope: Scope) =>
  db.within(scope, async () => (await db.tx.lead.findMany({ select: { email: true } })).map(({ email }) => email));

describe('a transaction', () => {
  it('leaves nothing behind when its first statement fails, and the connection serves the next tenant as its own', async () => {
    const twice = () => db.tx.sql`INSERT INTO lead (id, email, first_name, last_name)
      VALUES (999, 'first@example.com', 'A', 'B'), (999, 'again@example.com', 'A', 'B')`;
    // More often than the pool has connections, so that each of them has failed once.
    for (let time = 0; time < 12; time++) {
      await expect(db.transaction(mine, twice)).rejects.toMatchObject({ code: '23505' });
      expect(await emails(theirs)).toEqual([]);
    }
    expect(await emails(mine)).toEqual([]);
  });

  it('rolls everything back when the statement at its end fails', async () => {
    const work = () => db.tx.lead.create({ data: lead('lost@example.com') });
    await expect(db.transaction(mine, work, () => statement`SELECT 1 / ${0}::int`)).rejects.toThrow('division by zero');
    expect(await emails(mine)).toEqual([]);
  });

  it('commits the statement at its end with the rest', async () => {
    await db.transaction(
      mine,
      () => db.tx.lead.create({ data: lead('one@example.com') }),
      () => statement`INSERT INTO lead (email, first_name, last_name) VALUES (${'two@example.com'}, 'A', 'B')`,
    );
    expect((await emails(mine)).sort()).toEqual(['one@example.com', 'two@example.com']);
    await db.within(mine, () => db.tx.lead.deleteMany({}));
  });

  it('that asks nothing opens none', async () => {
    expect(await db.transaction(mine, async () => 'nothing')).toBe('nothing');
    await expect(
      db.transaction(mine, async () => {
        throw new Error('of its own');
      }),
    ).rejects.toThrow('of its own');
    expect(await emails(theirs)).toEqual([]);
  });

  it('is refused as a failure when a failed statement in it was ignored', async () => {
    const work = async () => {
      await db.tx.lead.create({ data: lead('gone@example.com') });
      await db.tx.sql`SELECT 1 / 0`.catch(() => {});
    };
    await expect(db.transaction(mine, work)).rejects.toThrow('a failed statement in it was ignored');
    expect(await emails(mine)).toEqual([]);
  });

  describe('on a connection that served another tenant', () => {
    beforeAll(() => db.within(theirs, () => db.tx.lead.create({ data: lead('theirs@example.com') })));
    afterAll(() => db.within(theirs, () => db.tx.lead.deleteMany({})));
    const ask = () => db.tx.sql<{ email: string }>`SELECT email FROM lead`;

    it('goes no further when not even its beginning was reached', async () => {
      // PostgreSQL reads a statement before it runs what is ahead of it: the transaction and the scope.
      const unreadable = () => db.tx.sql`SELECT nothing FROM nowhere`.catch(() => {});
      const work = async () => {
        await unreadable();
        return ask();
      };
      expect(await emails(theirs)).toEqual(['theirs@example.com']);
      await expect(db.transaction(mine, work)).rejects.toThrow('is over');
      expect(await emails(theirs)).toEqual(['theirs@example.com']);
      await expect(db.transaction(mine, unreadable)).rejects.toThrow('never began');
      expect(await emails(mine)).toEqual([]);
    });

    it('sends nothing along with a first statement that may fail', async () => {
      const work = () => Promise.allSettled([db.tx.sql`SELECT nothing FROM nowhere`, ask(), ask()]);
      let outcome: PromiseSettledResult<unknown>[] = [];
      const transaction = db.transaction(mine, async () => {
        outcome = await work();
      });
      await expect(transaction).rejects.toThrow('never began');
      expect(outcome.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    });

    it('lets no statement follow its end', async () => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      let late: Promise<unknown> | undefined;
      await db.transaction(mine, async () => {
        await ask();
        late = gate.then(ask);
      });
      expect(await emails(theirs)).toEqual(['theirs@example.com']);
      open();
      await expect(late).rejects.toThrow('is over');
    });
  });
});

describe('a tenant whose queries hang', () => {
  it('leaves connections to everybody else', async () => {
    const outside = new pg.Client({ connectionString: settings.ownerUrl });
    await outside.connect();
    await outside.query('SELECT pg_advisory_lock(42)');
    const stuck = Array.from({ length: 8 }, () =>
      db
        .within(mine, () => db.tx.sql`SELECT pg_advisory_lock_shared(42)`)
        .then(
          () => 'served',
          (error: Error) => error.message,
        ),
    );
    const waiting = async () =>
      (await outside.query(`SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`))
        .rows[0].n;
    await until('the tenant has its share', async () => (await waiting()) === 6);
    expect(await emails(theirs)).toEqual([]);
    await outside.query('SELECT pg_advisory_unlock(42)');
    await outside.end();
    const ends = await Promise.all(stuck);
    // Those beyond the share got a connection in time or were refused; nobody waits for ever.
    expect(ends.slice(0, 6)).toEqual(Array(6).fill('served'));
    for (const end of ends.slice(6)) expect(end).toMatch(/^served$|No place became free/);
  });
});

describe('a query that goes to PostgreSQL directly', () => {
  const full = {
    ...lead('full@example.com'),
    phone: '+49 30 1',
    score: 12.5,
    assignedTo: 7,
    customFields: { budget: 3, list: [1, null, 'x'], text: 'ü "quoted" \\ ' },
    tags: ['a,b', 'c "d"', ''],
  };
  // Prisma answers what has a list or JSON in its filter; the rest is answered directly.
  const throughPrisma = { customFields: { path: ['budget'], equals: 3 } };

  it('answers what Prisma answers, value for value', async () => {
    await db.within(mine, async () => {
      const created = await db.tx.lead.create({ data: full });
      const direct = await db.tx.lead.findFirst({ where: { id: created.id } });
      const prisma = await db.tx.lead.findFirst({ where: { id: created.id, ...throughPrisma } });
      expect(direct).toEqual(prisma);
      expect(created).toEqual(prisma);
      expect(direct).toMatchObject(full);
      expect(await db.tx.lead.count({ where: { id: created.id } })).toBe(1);
    });
  });

  it('filters, sorts and pages as Prisma does', async () => {
    await db.within(mine, async () => {
      await db.tx.lead.createMany({
        data: [1, 2, 3, 4, 5].map((score) => ({ ...full, email: `n${score}@example.com`, score, phone: null })),
      });
      const questions: Prisma.LeadFindManyArgs[] = [
        { where: { score: { gt: 1, lte: 4 } }, orderBy: { score: 'desc' } },
        { where: { OR: [{ score: 1 }, { email: 'n5@example.com' }] }, orderBy: [{ score: 'asc' }, { id: 'asc' }] },
        { where: { score: { in: [2, 4] }, phone: null }, orderBy: { id: 'asc' }, select: { email: true, tags: true } },
        { where: { phone: { not: null } }, orderBy: { id: 'asc' } },
        { where: { AND: [{ score: { not: 3 } }, { createdAt: { lte: new Date() } }] }, orderBy: { id: 'asc' } },
        { where: { OR: [] } },
        { where: { score: { in: [] } } },
        { orderBy: { id: 'asc' }, take: 2, skip: 1 },
      ];
      for (const question of questions) {
        const asked = await db.tx.lead.findMany(question);
        const prisma = await db.tx.lead.findMany({
          ...question,
          where: { ...question.where, ...throughPrisma },
        });
        expect(asked).toEqual(prisma);
      }
    });
  });

  it('changes and removes as Prisma does', async () => {
    await db.within(mine, async () => {
      const changes: Prisma.LeadUpdateManyMutationInput[] = [
        { firstName: 'C', phone: null, assignedTo: null, tags: ['x', 'y "z"'], customFields: { budget: 3, a: [null] } },
        { version: { increment: 1 }, score: 7.5, lastName: undefined as never },
        { version: { decrement: 2 }, isPaired: true, deletedAt: new Date('2026-01-02T03:04:05.678Z') },
      ];
      const leads = [1, 2].map((n) => ({ ...full, email: `same${n}@example.com` }));
      const [first, second] = await db.tx.lead.createManyAndReturn({ data: leads, select: { id: true } });
      const began = new Date();
      for (const data of changes) {
        const direct = await db.tx.lead.updateManyAndReturn({ where: { id: first?.id ?? 0 }, data });
        const prisma = await db.tx.lead.updateManyAndReturn({ where: { id: second?.id ?? 0, ...throughPrisma }, data });
        const [{ id, email, createdAt, updatedAt, ...one } = {} as never, ...more] = direct;
        const [{ id: _i, email: _e, createdAt: _c, updatedAt: later, ...other } = {} as never] = prisma;
        expect([one, more]).toEqual([other, []]);
        // Each by the clock of the process, so that the one is not before the beginning and not after the other.
        expect(updatedAt.getTime()).toBeGreaterThanOrEqual(began.getTime());
        expect(later.getTime()).toBeGreaterThanOrEqual(updatedAt.getTime());
      }
      expect(await db.tx.lead.updateMany({ where: { email: 'nobody@example.com' }, data: { score: 1 } })).toEqual({
        count: 0,
      });
      expect(
        await db.tx.lead.updateMany({ where: { email: { in: leads.map(({ email }) => email) } }, data: { score: 1 } }),
      ).toEqual({ count: 2 });
      expect(await db.tx.lead.deleteMany({ where: { id: first?.id ?? 0 } })).toEqual({ count: 1 });
      expect(await db.tx.lead.count({ where: { email: { in: leads.map(({ email }) => email) } } })).toBe(1);
    });
  });

  it('tells a second record where one may be as Prisma does', async () => {
    await db.within(mine, async () => {
      const codes = ['one', 'two'].map((code) => ({ entityType: 'lead', code, name: code, sortOrder: 1 }));
      await db.tx.statusDefinition.createMany({ data: codes });
      const rename = db.tx.statusDefinition.updateMany({ where: { code: 'two' }, data: { code: 'one' } });
      await expect(rename).rejects.toMatchObject({ code: 'P2002' });
    });
  });

  it('locks the record that it reads, for as long as the transaction lasts', async () => {
    const { id } = await db.within(mine, () => db.tx.lead.create({ data: { ...full, score: 0 } }));
    const raise = () =>
      db.transaction(mine, async () => {
        const read = await db.tx.lead.lockFirst({ where: { id } });
        await db.tx.lead.updateMany({ where: { id }, data: { score: (read?.score ?? 0) + 1 } });
      });
    await Promise.all(Array.from({ length: 5 }, raise));
    const after = await db.within(mine, () => db.tx.lead.findFirst({ where: { id } }));
    expect(after?.score).toBe(5);
    expect(await db.transaction(theirs, () => db.tx.lead.lockFirst({ where: { id } }))).toBe(null);
    const notPlain = () => db.tx.lead.lockFirst({ where: throughPrisma });
    await expect(db.transaction(mine, async () => notPlain())).rejects.toThrow('plain columns');
  });

  it('refuses an undefined filter instead of matching everything', async () => {
    const filter = { email: undefined } as unknown as Prisma.LeadWhereInput;
    await expect(db.within(mine, () => db.tx.lead.findMany({ where: filter }))).rejects.toThrow('email is undefined');
  });
});
