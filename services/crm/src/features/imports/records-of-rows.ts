import type { ResourceType } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { Tx } from '../../handler.ts';
import type { Lookup } from './target.ts';

/** The rows of a query that finds records by a key. */
interface Key {
  key: string;
  id: number;
  records: number;
}

/** Finds leads by their address, external id or id. */
export async function findLeads(
  tx: Tx,
  words: readonly string[],
  decode: (word: string) => number | undefined,
): Promise<Lookup> {
  if (!words.length) return new Map();
  const lower = words.map((word) => word.toLowerCase());
  const byAddress = await tx.sql<Key>`SELECT email_key AS key, min(id) AS id, count(*)::int AS records FROM lead
    WHERE email_key = ANY(${lower}::text[]) AND deleted_at IS NULL GROUP BY email_key`;
  const byExternalId = await tx.sql<Key>`SELECT external_id AS key, min(id) AS id, count(*)::int AS records FROM lead
    WHERE external_id = ANY(${words}::text[]) AND deleted_at IS NULL GROUP BY external_id`;
  const ids = words.flatMap((word) => decode(word) ?? []);
  const byId = await tx.lead.findMany({ where: { id: { in: ids }, deletedAt: null }, select: { id: true } });
  return lookup(words, [
    (word) => byId.find(({ id }) => id === decode(word))?.id,
    finder(byExternalId),
    finder(byAddress, (word) => word.toLowerCase()),
  ]);
}

/** Finds accounts by their id, domain, external id or name. */
export async function findAccounts(
  tx: Tx,
  words: readonly string[],
  decode: (word: string) => number | undefined,
): Promise<Lookup> {
  if (!words.length) return new Map();
  const domains = words.map((word) => word.toLowerCase());
  const byDomain = await tx.sql<Key>`SELECT domain AS key, min(id) AS id, count(*)::int AS records FROM account
    WHERE domain = ANY(${domains}::text[]) AND deleted_at IS NULL GROUP BY domain`;
  const byExternalId = await tx.sql<Key>`SELECT external_id AS key, min(id) AS id, count(*)::int AS records FROM account
    WHERE external_id = ANY(${words}::text[]) AND deleted_at IS NULL GROUP BY external_id`;
  const byName = await tx.sql<Key>`SELECT name AS key, min(id) AS id, count(*)::int AS records FROM account
    WHERE name = ANY(${words}::text[]) AND deleted_at IS NULL GROUP BY name`;
  const ids = words.flatMap((word) => decode(word) ?? []);
  const byId = await tx.account.findMany({ where: { id: { in: ids }, deletedAt: null }, select: { id: true } });
  return lookup(words, [
    (word) => byId.find(({ id }) => id === decode(word))?.id,
    finder(byDomain, (word) => word.toLowerCase()),
    finder(byExternalId),
    finder(byName),
  ]);
}

/** Decodes public ids of a tenant; undefined for any other text. */
export const decoder = (ids: IdCodec, type: ResourceType, tenantId: number) => (word: string) =>
  ids.decode(type, tenantId, word);

type Finder = (word: string) => number | 'several' | undefined;

function finder(rows: readonly Key[], keyOf: (word: string) => string = (word) => word): Finder {
  const found = new Map(rows.map(({ key, id, records }) => [key, records > 1 ? ('several' as const) : id]));
  return (word) => found.get(keyOf(word));
}

/** The first that each word finds. */
function lookup(words: readonly string[], finders: readonly Finder[]): Lookup {
  return new Map(
    words.flatMap((word) => {
      for (const find of finders) {
        const found = find(word);
        if (found !== undefined) return [[word, found] as const];
      }
      return [];
    }),
  );
}
