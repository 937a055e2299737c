import type { Caller } from '@tandem/caller';
import { fail, type Reach, reachOf } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';

const resources = { lead: 'leads', opportunity: 'opportunities', partner: 'partners', account: 'accounts' } as const;

/** The name of the permission to read or write records of a type. */
export function permissionFor(type: DocumentType, action: 'read' | 'write'): string {
  return `${resources[type]}:${action}`;
}

/** Whether a caller may read records of a type at all. */
export function mayRead(type: DocumentType, caller: Caller): boolean {
  return reachOf(caller, permissionFor(type, 'read')) !== 'none';
}

/**
 * Public ids of the owners whose documents a caller may find; undefined when the caller may find all. A search shows no
 * record that the caller may not read otherwise.
 * @throws ApiError 403 when the caller may read no records of the type
 */
export function ownersFor(type: DocumentType, caller: Caller, tools: Tools): string[] | undefined {
  const reach = reachOf(caller, permissionFor(type, 'read'));
  if (reach === 'none') throw fail('forbidden');
  return ownersWithin(reach, caller, tools);
}

/** Public ids of the owners whose documents are within a reach; undefined when all documents are. */
export function ownersWithin(reach: Exclude<Reach, 'none'>, caller: Caller, { ids }: Tools): string[] | undefined {
  if (reach === 'all') return undefined;
  const { tenantId = 0 } = caller;
  const teams = (reach.teamIds ?? []).map((id) => ids.encode('team', tenantId, id));
  return [ids.encode('user', tenantId, reach.userId), ...teams];
}
