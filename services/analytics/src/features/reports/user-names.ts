import type { Funnel } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { createLog } from '@tandem/process';
import { asService } from '@tandem/service';
import type { z } from 'zod';
import type { Peers } from '../../handler.ts';

type Groups = z.output<typeof Funnel>['breakdown'];

const log = createLog('analytics');

/**
 * The names of the users of groups, in the order of the groups: null for users who are not active any more, and for all if identity
 * does not answer, because the numbers are complete without names. Undefined if no group is one of a user.
 */
export async function userNamesOf(
  identity: Peers['identity'],
  groups: Groups,
  caller: Caller,
): Promise<(string | null)[] | undefined> {
  const userIds = groups.flatMap(({ userId }) => userId ?? []);
  if (!userIds.length) return undefined;
  const names = await readNames(identity, userIds, caller);
  return groups.map(({ userId }) => names.get(userId as number) ?? null);
}

async function readNames(identity: Peers['identity'], userIds: number[], caller: Caller): Promise<Map<number, string>> {
  try {
    const found = await identity.findAssignees({ body: { userIds, teamIds: [] }, as: asService(caller) });
    return new Map(found.flatMap(({ id, name }) => (name ? [[id, name]] : [])));
  } catch (error) {
    log.warn('the users of a report are not named', { error });
    return new Map();
  }
}
