import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { internalUsers } from '@tandem/identity-contract';
import { type Scope, statement } from '@tandem/tenant-db';
import { until } from '@tandem/testing';
import pg from 'pg';
import { type CrmDatabase, openCrmDatabase } from './crm.test-service.ts';

// Connection and transaction guarantees of packages/tenant-db, tested on the tables of a real service.

const mine: Scope = { tenantId: 1, environment: 'live' };
const theirs: Scope = { tenantId: 2, environment: 'live' };
const lead = (email: string) => ({ email, firstName: 'A', lastName: 'B' });

let database: CrmDatabase;
let db: CrmDatabase['db'];
beforeAll(async () => {
  database = await openCrmDatabase();
  ({ db } = database);
});
afterAll(() => database?.close());

const emails = (scope: Scope) =>
  db.within(scope, async () => (await db.tx.lead.findMany({ select: { email: true } })).map(({ email }) => email));

const removeLeads = (scope: Scope) => db.within(scope, () => db.tx.sql`DELETE FROM lead`);

it('plans a statement of adHocSql for its values each time, and one of sql once for any values', async () => {
  const prepared = (marker: string) => db.tx.sql<{ plans: number }>`
    SELECT generic_plans::int AS plans FROM pg_prepared_statements WHERE statement LIKE ${`%${marker} %`} AND statement NOT LIKE '%pg_prepared%'`;
  const [often, adHoc] = await db.transaction(mine, async () => {
    for (let time = 1; time <= 7; time++) {
      await db.tx.sql`SELECT id AS often FROM lead WHERE id = ${time}`;
      await db.tx.adHocSql`SELECT id AS each_time FROM lead WHERE id = ${time}`;
    }
    return [await prepared('AS often'), await prepared('AS each_time')];
  });
  expect([often, adHoc]).toEqual([[{ plans: 2 }], []]);
});

describe('a transaction', () => {
  it('leaves no state on the connection for the next tenant when its first statement fails', async () => {
    const twice = () => db.tx.sql`INSERT INTO lead (id, email, first_name, last_name)
      VALUES (999, 'first@example.com', 'A', 'B'), (999, 'again@example.com', 'A', 'B')`;
    // More rounds than the pool has connections, so that each connection fails at least once.
    for (let time = 0; time < 12; time++) {
      await expect(db.transaction(mine, twice)).rejects.toMatchObject({ code: '23505' });
      expect(await emails(theirs)).toEqual([]);
    }
    expect(await emails(mine)).toEqual([]);
  });

  it('rolls everything back when its final statement fails', async () => {
    const work = () => db.tx.lead.create({ data: lead('lost@example.com') });
    await expect(db.transaction(mine, work, () => statement`SELECT 1 / ${0}::int`)).rejects.toThrow('division by zero');
    expect(await emails(mine)).toEqual([]);
  });

  it('commits its final statement with the rest', async () => {
    await db.transaction(
      mine,
      () => db.tx.lead.create({ data: lead('one@example.com') }),
      () => statement`INSERT INTO lead (email, first_name, last_name) VALUES (${'two@example.com'}, 'A', 'B')`,
    );
    expect((await emails(mine)).sort()).toEqual(['one@example.com', 'two@example.com']);
    await removeLeads(mine);
  });

  it('is not opened when its callback runs no statement', async () => {
    expect(await db.transaction(mine, async () => 'nothing')).toBe('nothing');
    await expect(
      db.transaction(mine, async () => {
        throw new Error('of its own');
      }),
    ).rejects.toThrow('of its own');
    expect(await emails(theirs)).toEqual([]);
  });

  it('fails when the error of one of its statements was swallowed', async () => {
    const work = async () => {
      await db.tx.lead.create({ data: lead('gone@example.com') });
      await db.tx.sql`SELECT 1 / 0`.catch(() => {});
    };
    await expect(db.transaction(mine, work)).rejects.toThrow('the error of the failed statement was ignored');
    expect(await emails(mine)).toEqual([]);
  });

  describe('on a connection that served another tenant', () => {
    beforeAll(() => db.within(theirs, () => db.tx.lead.create({ data: lead('theirs@example.com') })));
    afterAll(() => removeLeads(theirs));
    const ask = () => db.tx.sql<{ email: string }>`SELECT email FROM lead`;

    it('runs no further statements when its BEGIN was not executed', async () => {
      // PostgreSQL parses the whole query first, so BEGIN and the tenant scope ahead of this statement never run.
      const unreadable = () => db.tx.sql`SELECT nothing FROM nowhere`.catch(() => {});
      const work = async () => {
        await unreadable();
        return ask();
      };
      expect(await emails(theirs)).toEqual(['theirs@example.com']);
      await expect(db.transaction(mine, work)).rejects.toThrow('has ended');
      expect(await emails(theirs)).toEqual(['theirs@example.com']);
      await expect(db.transaction(mine, unreadable)).rejects.toThrow('did not start');
      expect(await emails(mine)).toEqual([]);
    });

    it('does not pipeline statements behind a first one that may fail', async () => {
      const work = () => Promise.allSettled([db.tx.sql`SELECT nothing FROM nowhere`, ask(), ask()]);
      let outcome: PromiseSettledResult<unknown>[] = [];
      const transaction = db.transaction(mine, async () => {
        outcome = await work();
      });
      await expect(transaction).rejects.toThrow('did not start');
      expect(outcome.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    });

    it('rejects statements after its end', async () => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      let late: Promise<unknown> | undefined;
      await db.transaction(mine, async () => {
        await ask();
        late = gate.then(ask);
      });
      expect(await emails(theirs)).toEqual(['theirs@example.com']);
      open();
      await expect(late).rejects.toThrow('has ended');
    });

    /** A handler with a missing await: one statement is sent while the transaction ends. */
    const withForgottenAwait = async (isFailing: boolean) => {
      let late: Promise<unknown> | undefined;
      const transaction = db.transaction(mine, async () => {
        await db.tx.lead.create({ data: lead('kept@example.com') });
        if (isFailing) await db.tx.sql`SELECT 1 / 0`.catch(() => {});
        late = new Promise((resolve) => setImmediate(resolve)).then(
          () => db.tx.sql`INSERT INTO lead (email, first_name, last_name) VALUES ('stray@example.com', 'A', 'B')`,
        );
        late.catch(() => {});
      });
      await transaction.catch(() => {});
      await expect(late).rejects.toThrow('has ended');
    };

    it.each([
      ['is committed', false],
      ['is rolled back', true],
    ])('rejects a statement that is sent while it %s, for every tenant', async (_, isFailing) => {
      for (let time = 0; time < 50; time++) {
        expect(await emails(theirs)).toEqual(['theirs@example.com']);
        await withForgottenAwait(isFailing);
      }
      expect(await emails(theirs)).toEqual(['theirs@example.com']);
      expect(new Set(await emails(mine))).toEqual(new Set(isFailing ? [] : ['kept@example.com']));
      await removeLeads(mine);
    });
  });

  describe('without a tenant, with nested transactions of tenants', () => {
    const nested = (scope: Scope, work: () => Promise<unknown>) => db.transaction(scope, work);
    const seen = () => db.tx.sql<{ tenant: string }>`SELECT current_setting('app.tenant_id') AS tenant`;

    it('runs nested transactions one after the other, each in its own scope', async () => {
      const scopes: unknown[] = [];
      const both = () =>
        Promise.allSettled(
          [mine, theirs].map((scope) =>
            nested(scope, async () =>
              scopes.push([scope.tenantId, (await seen())[0]?.tenant, (await seen())[0]?.tenant]),
            ),
          ),
        );
      let outcome: PromiseSettledResult<unknown>[] = [];
      await db.transaction(undefined, async () => {
        outcome = await both();
      });
      expect(outcome.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expect(scopes).toEqual([
        [1, '1', '1'],
        [2, '2', '2'],
      ]);
    });

    it('rejects outer statements while a nested transaction is open, including queued ones', async () => {
      await db.transaction(undefined, async () => {
        const first = seen();
        const part = nested(mine, seen);
        const meanwhile = seen();
        const [whole, within, refused] = await Promise.allSettled([first, part, meanwhile]);
        expect([whole, within]).toMatchObject([{ value: [{ tenant: '' }] }, { value: [{ tenant: '1' }] }]);
        expect(String((refused as PromiseRejectedResult).reason)).toContain(
          'A part of this transaction with its own scope is still open',
        );
      });
    });

    it('fails when a nested transaction is still open, which then sends no more statements', async () => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      let part: Promise<unknown> = Promise.resolve();
      const transaction = db.transaction(undefined, async () => {
        part = nested(mine, async () => {
          await db.tx.lead.create({ data: lead('stray@example.com') });
          await gate;
          await db.tx.lead.create({ data: lead('stray2@example.com') });
        });
        part.catch(() => {});
        await new Promise((resolve) => setImmediate(resolve));
      });
      await expect(transaction).rejects.toThrow('still open');
      open();
      await expect(part).rejects.toThrow('has ended');
      expect(await emails(mine)).toEqual([]);
      expect(await emails(theirs)).toEqual([]);
    });
  });

  it('rejects within() for another scope, which would run outside the transaction', async () => {
    const work = () => db.within(theirs, () => db.tx.lead.findMany());
    await expect(db.transaction(mine, work)).rejects.toThrow('only the narrowing');
  });

  it('includes within() for its own scope, which may change the narrowing', async () => {
    const found = await db.transaction(mine, async () => {
      await db.tx.lead.create({ data: lead('uncommitted@example.com') });
      return db.within({ ...mine }, () => db.tx.lead.findMany());
    });
    expect(found.map(({ email }) => email)).toEqual(['uncommitted@example.com']);
  });

  it('rejects calls to other services, which would keep its connection and locks', async () => {
    const identity = createServiceClient({
      operations: internalUsers,
      baseUrl: 'http://127.0.0.1:9',
      service: 'crm',
      signer: createCallerSigner(database.settings.INTERNAL_SECRETS),
    });
    const as = { tenantId: 1, environment: 'live' as const, requestId: 'test' };
    const ask = () => identity.findUser({ params: { id: 1 }, as });
    await expect(db.transaction(mine, ask)).rejects.toThrow('a database transaction is open');
    await expect(db.within(mine, ask)).rejects.toMatchObject({ status: 503 });
  });
});

describe('the scope of a tenant', () => {
  it('is never left on a connection', async () => {
    // More tenants than connections, with reads, commits and rollbacks: each connection serves several tenants.
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const scope: Scope = { tenantId: 100 + (index % 30), environment: 'live' };
        await db.within(scope, () => db.tx.lead.count({ where: {} }));
        const work = async () => {
          await db.tx.lead.create({ data: lead(`t${scope.tenantId}@example.com`) });
          if (index % 3 === 0) throw new Error('rolled back');
        };
        await db.transaction(scope, work).catch(() => {});
      }),
    );
    const seen = await Promise.all(
      Array.from({ length: 40 }, () =>
        db.within(undefined, () => db.tx.sql`SELECT current_setting('app.tenant_id', true) AS tenant`),
      ),
    );
    expect(new Set(seen.map(([row]) => (row as { tenant: string | null }).tenant || null))).toEqual(new Set([null]));
    expect(await db.within(undefined, () => db.tx.sql`SELECT id FROM lead`)).toEqual([]);
  });
});

describe('a tenant with hanging queries', () => {
  it('leaves connections for other tenants', async () => {
    const outside = new pg.Client({ connectionString: database.settings.ownerUrl });
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
    // Queries beyond the tenant's limit get a connection in time or are rejected; none waits forever.
    expect(ends.slice(0, 6)).toEqual(Array(6).fill('served'));
    for (const end of ends.slice(6)) expect(end).toMatch(/^served$|No place became free/);
  });
});
