import type { Caller } from '@tandem/caller';
import { asService } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import type { ImportTarget, Texts } from './target.ts';

/** Finds a record by what rows call it; `several` when that is not clear. */
export type Lookup = ReadonlyMap<string, number | 'several'>;

/** Who and what the texts of a batch name. */
export interface Known {
  /** Active users by their address in lower case. */
  users: ReadonlyMap<string, number>;
  leads: Lookup;
  accounts: Lookup;
}

/** Looks up what the rows of a batch name, once for all rows. */
export async function findKnown(
  tx: Tx,
  { target, texts, caller, peers }: { target: ImportTarget; texts: readonly Texts[]; caller: Caller; peers: Peers },
): Promise<Known> {
  const users = await findByAddress(peers, wordsOf(texts, target.userField), caller);
  const related = await target.findRelated?.(tx, texts, caller.tenantId as number);
  return { users, leads: related?.leads ?? new Map(), accounts: related?.accounts ?? new Map() };
}

/** The different texts of a field. */
export function wordsOf(texts: readonly Texts[], field: string): string[] {
  return [...new Set(texts.flatMap((one) => one[field] ?? []))];
}

async function findByAddress(peers: Peers, words: readonly string[], caller: Caller): Promise<Map<string, number>> {
  const emails = words.filter((word) => word.includes('@')).map((word) => word.toLowerCase());
  if (!emails.length) return new Map();
  const body = { userIds: [], teamIds: [], emails };
  const found = await peers.identity.findAssignees({ body, as: asService(caller) });
  return new Map(found.flatMap(({ id, email }) => (email ? [[email.toLowerCase(), id]] : [])));
}
