import { createTenantDb, type Scope } from '@tandem/tenant-db';
import { testSettings, until } from '@tandem/testing';
import type { Tx } from '../../database.ts';
import { Prisma, PrismaClient } from '../../generated/client.ts';
import { writeDocuments } from './write-documents.ts';

let settings: Awaited<ReturnType<typeof testSettings>>;
let db: ReturnType<typeof open>;
const open = () =>
  createTenantDb({
    url: settings.DATABASE_URL,
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
  });
beforeAll(async () => {
  settings = await testSettings('search');
  db = open();
});
afterAll(async () => {
  await db?.close();
  await settings?.drop();
});

let tenants = 0;
const aScope = (): Scope => ({ tenantId: ++tenants, environment: 'live' });

/** Gives a document this last name, or removes it, in one transaction; `beforeCommit` runs at its end. */
const write = (scope: Scope, documentId: string, lastName: string | undefined, beforeCommit?: () => Promise<void>) =>
  db.transaction(scope, async () => {
    const document = lastName === undefined ? {} : { document: { lastName } };
    await writeDocuments(db.tx as Tx, [{ type: 'lead', documentId, indexedAt: new Date(), ...document }]);
    await beforeCommit?.();
  });

const spellingsOf = (scope: Scope, word: string) =>
  db.within(scope, () => (db.tx as Tx).sql`SELECT form FROM spelling WHERE word = ${word}`);

/** Runs two transactions so that the second one writes its terms before the first one commits, if it does not wait. */
async function overlap(
  first: (beforeCommit: () => Promise<void>) => Promise<void>,
  second: () => Promise<void>,
): Promise<void> {
  const written = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const earlier = first(async () => {
    written.resolve();
    await release.promise;
  });
  await Promise.race([written.promise, earlier]);
  let isDone = false;
  const later = second().then(() => {
    isDone = true;
  });
  const observer: Scope = { tenantId: 1, environment: 'live' };
  await until('the second transaction is done or waits for the first', async () => {
    const waiting = await db.within(
      observer,
      () => (db.tx as Tx).sql`SELECT FROM pg_locks WHERE NOT granted AND pid IN (
        SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
    );
    return isDone || waiting.length > 0;
  });
  release.resolve();
  await Promise.all([earlier, later]);
}

it('a word keeps its spellings when one transaction adds it and another one removes its only document', async () => {
  const scope = aScope();
  await write(scope, 'old', 'Lovelace');
  const forms = await spellingsOf(scope, 'lovelace');
  await overlap(
    (beforeCommit) => write(scope, 'new', 'Lovelace', beforeCommit),
    () => write(scope, 'old', undefined),
  );
  expect(await spellingsOf(scope, 'lovelace')).toHaveLength(forms.length);
  await overlap(
    (beforeCommit) => write(scope, 'new', 'Hopper', beforeCommit),
    () => write(scope, 'newer', 'Lovelace'),
  );
  expect(await spellingsOf(scope, 'lovelace')).toHaveLength(forms.length);
});

it('a word loses its spellings when two transactions remove its last two documents', async () => {
  const scope = aScope();
  for (const id of ['one', 'two']) await write(scope, id, 'Lovelace');
  await overlap(
    (beforeCommit) => write(scope, 'one', undefined, beforeCommit),
    () => write(scope, 'two', 'Hopper'),
  );
  expect(await spellingsOf(scope, 'lovelace')).toEqual([]);
});

it('two transactions that swap their words both succeed', async () => {
  const scope = aScope();
  await write(scope, 'one', 'Lovelace');
  await write(scope, 'two', 'Hopper');
  await overlap(
    (beforeCommit) => write(scope, 'one', 'Hopper', beforeCommit),
    () => write(scope, 'two', 'Lovelace'),
  );
  for (const word of ['lovelace', 'hopper']) expect(await spellingsOf(scope, word)).not.toEqual([]);
});

it('documents with new words of one tenant, and removals of different tenants, are written at the same time', async () => {
  const [scope, other] = [aScope(), aScope()];
  for (const one of [scope, other]) await write(one, 'one', 'Lovelace');
  const written = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const earlier = write(scope, 'two', 'Hopper', async () => {
    written.resolve();
    await release.promise;
  });
  await Promise.race([written.promise, earlier]);
  // They would fail after two seconds if they had to wait.
  await write(scope, 'three', 'Noether');
  await write(other, 'one', undefined);
  release.resolve();
  await earlier;
});
