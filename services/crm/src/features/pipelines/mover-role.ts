import { actingUserId, type Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { asService } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';

/** The role of a user; undefined if the rules about roles do not concern the caller. */
export type MoverRole = number | null | undefined;

/**
 * The role of the acting user, for `checkStageMove`. Called in `check`, because the role is in another service; it is read
 * only if a pipeline has a rule about roles.
 * @returns undefined if no pipeline has such a rule, or if no person acts; null for a user without a known role
 */
export async function moverRole(peers: Peers, tx: Tx, caller: Caller): Promise<MoverRole> {
  if (actingUserId(caller) === undefined) return undefined;
  if (!(await tx.pipeline.count({ where: { allowedRoleIds: { isEmpty: false } } }))) return undefined;
  return roleOf(peers, caller);
}

/** The same without a transaction, for moves of many deals. */
export async function roleOf(peers: Peers, caller: Caller): Promise<MoverRole> {
  const id = actingUserId(caller);
  if (id === undefined) return undefined;
  const user = await orAbsent(peers.identity.findUser({ params: { id }, as: asService(caller) }));
  return user?.roleId ?? null;
}
