import type { Caller } from '@tandem/caller';
import { nodeData } from '@tandem/campaign-contract';
import { type FieldError, unknownId } from '@tandem/contract';
import { leadStatuses, statusesMax } from '@tandem/crm-contract';
import { assigneesMax } from '@tandem/identity-contract';
import { asService } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { leadFields } from '../engine/outside/lead-fields.ts';
import type { WorkflowRecord } from './workflow.ts';

type OutsideTools = Pick<Tools, 'identity' | 'crm' | 'ids' | 'webhooks'>;
type Draft = Pick<WorkflowRecord, 'tenantId' | 'nodes'>;
type Node = WorkflowRecord['nodes'][number];

/** The errors that prevent the publication of a draft and that other services or name servers show. Call it outside of a transaction. */
export async function outsideErrors(tools: OutsideTools, draft: Draft, caller: Caller): Promise<FieldError[]> {
  const errors = await Promise.all([
    userErrors(tools, draft, caller),
    customFieldErrors(tools, draft, caller),
    statusErrors(tools, draft, caller),
    addressErrors(tools, draft),
  ]);
  return errors.flat();
}

/** Users whom nodes notify, or to whom they assign leads and tasks, and who are not active users of the tenant. */
async function userErrors(
  { identity, ids }: OutsideTools,
  { tenantId, nodes }: Draft,
  caller: Caller,
): Promise<FieldError[]> {
  const named = nodes.flatMap((node) =>
    usersOf(node).map(({ field, code }) => ({ field: `nodes.${node.nodeId}.${field}`, code })),
  );
  const idOf = new Map(named.map(({ code }) => [code, ids.decode('user', tenantId, code)]));
  const userIds = [...new Set([...idOf.values()].filter((id) => id !== undefined))];
  const active = new Set<number>();
  for (let start = 0; start < userIds.length; start += assigneesMax) {
    const body = { userIds: userIds.slice(start, start + assigneesMax), teamIds: [] };
    for (const { id } of await identity.findAssignees({ body, as: asService(caller) })) active.add(id);
  }
  return named.flatMap(({ field, code }) => {
    const id = idOf.get(code);
    if (id === undefined) return [{ field, message: unknownId('user') }];
    return active.has(id) ? [] : [{ field, message: 'Must be the id of an active user' }];
  });
}

/** The public ids of the users that a node names, with their fields. */
function usersOf({ type, data = {} }: Node): { field: string; code: string }[] {
  if (type === 'notify') {
    const codes = nodeData.notify.safeParse(data).data?.userIds ?? [];
    return codes.map((code, index) => ({ field: `userIds.${index}`, code }));
  }
  if (type === 'assign') return oneUser('userId', nodeData.assign.safeParse(data).data?.userId);
  if (type === 'create_task') return oneUser('assignedTo', nodeData.create_task.safeParse(data).data?.assignedTo);
  return [];
}

function oneUser(field: string, code: string | undefined): { field: string; code: string }[] {
  return code === undefined ? [] : [{ field, code }];
}

/** Values of custom fields that crm would refuse when the node is reached. */
async function customFieldErrors({ crm }: OutsideTools, { nodes }: Draft, caller: Caller): Promise<FieldError[]> {
  const changes = nodes.flatMap(({ nodeId, type, data }) => {
    const { fields } = (type === 'update_lead' && nodeData.update_lead.safeParse(data ?? {}).data) || {};
    const { success, data: lead } = leadFields.safeDecode((fields ?? {}) as never);
    return success && lead.customFields ? [{ nodeId, values: lead.customFields }] : [];
  });
  if (!changes.length) return [];
  const body = { changes: changes.map(({ values }) => values) };
  const refused = await crm.checkCustomFieldValues({ body, as: asService(caller) });
  return refused.map(({ index, key, message }) => ({
    field: `nodes.${changes[index]?.nodeId}.fields.customFields.${key}`,
    message,
  }));
}

/** A trigger would never fire for a status that is neither one of leads nor the code of one that the tenant defined. */
async function statusErrors({ crm }: OutsideTools, { nodes }: Draft, caller: Caller): Promise<FieldError[]> {
  const named = nodes.flatMap(({ nodeId, type, data }) => {
    const { triggerType, status } = (type === 'trigger' && nodeData.trigger.safeParse(data ?? {}).data) || {};
    const isKnown = !status || (leadStatuses as readonly string[]).includes(status);
    return triggerType === 'lead_status_changed' && !isKnown ? [{ field: `nodes.${nodeId}.status`, status }] : [];
  });
  if (!named.length) return [];
  const query = { entityType: 'lead' as const, page: 1, limit: statusesMax, sort: 'sortOrder' };
  const defined = await crm.listStatuses({ query, as: asService(caller) });
  const codes = new Set<string>([...leadStatuses, ...defined.map(({ code }) => code)]);
  return named
    .filter(({ status }) => !codes.has(status))
    .map(({ field }) => ({ field, message: `Must be one of ${[...codes].join(', ')}` }));
}

/** Webhook addresses that are private, or not https. */
async function addressErrors({ webhooks }: OutsideTools, { nodes }: Draft): Promise<FieldError[]> {
  const errors = await Promise.all(
    nodes.map(async ({ nodeId, type, data }) => {
      const url = type === 'webhook' ? nodeData.webhook.safeParse(data ?? {}).data?.url : undefined;
      const message = url === undefined ? undefined : await webhooks.target.resolvedUrlError(url, 'live');
      return message === undefined ? [] : [{ field: `nodes.${nodeId}.url`, message }];
    }),
  );
  return errors.flat();
}
