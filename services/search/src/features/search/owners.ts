import { actingUserId, type Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';

const resources = { lead: 'leads', opportunity: 'opportunities', partner: 'partners' } as const;

/** Whether a caller may read records of a type at all. */
export function mayRead(type: DocumentType, { permissions }: Caller): boolean {
  return allows(permissions, `${resources[type]}:read`) !== undefined;
}

/**
 * Whose documents a caller finds, by public ids; undefined for everybody's. Who may read no records, or only their own or
 * their team's, does not come by the others through the search.
 */
export function ownersFor(type: DocumentType, caller: Caller, { ids }: Tools): string[] | undefined {
  const reach = allows(caller.permissions, `${resources[type]}:read`);
  if (!reach) throw fail('forbidden');
  if (reach === 'all') return undefined;
  const { tenantId = 0, teamIds = [] } = caller;
  const userId = actingUserId(caller);
  const teams = reach === 'team' ? teamIds.map((id) => ids.encode('team', tenantId, id)) : [];
  return [...(userId === undefined ? [] : [ids.encode('user', tenantId, userId)]), ...teams];
}
