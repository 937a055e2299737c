import type { Caller } from '@tandem/caller';
import { fail, type Reach, reachOf } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';

const resources = { lead: 'leads', opportunity: 'opportunities', partner: 'partners' } as const;

/** The permission to do something with records of a type. */
export function permissionFor(type: DocumentType, action: 'read' | 'write'): string {
  return `${resources[type]}:${action}`;
}

/** Whether a caller may read records of a type at all. */
export function mayRead(type: DocumentType, caller: Caller): boolean {
  return reachOf(caller, permissionFor(type, 'read')) !== 'none';
}

/**
 * Whose documents a caller finds, by public ids; undefined for everybody's. Who may read no records, or only their own or
 * their team's, does not come by the others through the search.
 */
export function ownersFor(type: DocumentType, caller: Caller, tools: Tools): string[] | undefined {
  const reach = reachOf(caller, permissionFor(type, 'read'));
  if (reach === 'none') throw fail('forbidden');
  return ownersWithin(reach, caller, tools);
}

/** The owners whose documents lie within a reach, by public ids; undefined for everybody's. */
export function ownersWithin(reach: Exclude<Reach, 'none'>, caller: Caller, { ids }: Tools): string[] | undefined {
  if (reach === 'all') return undefined;
  const { tenantId = 0 } = caller;
  const teams = (reach.teamIds ?? []).map((id) => ids.encode('team', tenantId, id));
  return [ids.encode('user', tenantId, reach.userId), ...teams];
}
