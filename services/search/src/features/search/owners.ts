import { actingUserId, type Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import type { Tools } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';

const resources = { lead: 'leads', opportunity: 'opportunities', partner: 'partners' } as const;

/**
 * Whose documents a caller finds, by public ids; undefined for everybody's. Who may read only their own or their team's
 * records does not come by the others through the search.
 */
export function ownersFor(type: DocumentType, caller: Caller, { ids }: Tools): string[] | undefined {
  const reach = allows(caller.permissions, `${resources[type]}:read`);
  if (reach !== 'own' && reach !== 'team') return undefined;
  const { tenantId = 0, teamIds = [] } = caller;
  const userId = actingUserId(caller);
  const teams = reach === 'team' ? teamIds.map((id) => ids.encode('team', tenantId, id)) : [];
  return [...(userId === undefined ? [] : [ids.encode('user', tenantId, userId)]), ...teams];
}
