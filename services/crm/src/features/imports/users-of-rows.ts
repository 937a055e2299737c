import type { Caller } from '@tandem/caller';
import { asService } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import type { ImportTarget, Known, Texts } from './target.ts';

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
