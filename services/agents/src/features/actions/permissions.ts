import type { AgentActionValue } from '@tandem/agents-contract';
import type { Caller } from '@tandem/caller';
import { asService, fail, reachOf } from '@tandem/service';
import type { Tools } from '../../handler.ts';

const needed: Record<AgentActionValue['type'], readonly string[]> = {
  // Deciding about a call needs no more than the permission of the operation.
  call: [],
  create_task: ['tasks:write'],
  change_status: ['leads:write'],
  add_tags: ['leads:write'],
  convert: ['leads:write', 'opportunities:write'],
};

/** The permissions with which crm is asked to perform an action: no others. */
export function permissionsFor({ type }: AgentActionValue): string[] {
  return [...needed[type], 'leads:read'];
}

interface Wanted {
  action: AgentActionValue | null;
  leadId: number;
}

/**
 * For each action the permission that the caller lacks for it, if there is one. A permission for own or team leads is enough
 * for these leads.
 * @throws ApiError 503 while crm is unreachable
 */
export async function missingPermissions(
  { crm }: Pick<Tools, 'crm'>,
  caller: Caller,
  wanted: readonly Wanted[],
): Promise<(string | undefined)[]> {
  const changing = wanted.filter(({ action }) => action && needed[action.type].includes('leads:write'));
  const reach = reachOf(caller, 'leads:write');
  let writable: Set<number> | undefined;
  if (changing.length && typeof reach === 'object') {
    const ids = [...new Set(changing.map(({ leadId }) => leadId))];
    const found = await crm.filterLeads({ body: { ids }, as: asService(caller, reach) }).catch(() => {
      throw fail('unavailable');
    });
    writable = new Set(found.ids);
  }
  return wanted.map(({ action, leadId }) =>
    action ? needed[action.type].find((permission) => !isHeld(caller, { permission, leadId, writable })) : undefined,
  );
}

function isHeld(
  caller: Caller,
  { permission, leadId, writable }: { permission: string; leadId: number; writable: ReadonlySet<number> | undefined },
): boolean {
  if (reachOf(caller, permission) === 'none') return false;
  return permission !== 'leads:write' || !writable || writable.has(leadId);
}

/**
 * Fails unless the caller may perform the action.
 * @throws ApiError 403 that names the missing permission
 */
export async function checkMayPerform(tools: Pick<Tools, 'crm'>, caller: Caller, wanted: Wanted): Promise<void> {
  const [missing] = await missingPermissions(tools, caller, [wanted]);
  if (missing)
    throw fail('action_not_permitted', [
      { field: 'action', message: `Requires the permission ${missing} for the lead` },
    ]);
}
