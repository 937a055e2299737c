import type { Caller } from '@tandem/caller';
import { nodeData } from '@tandem/campaign-contract';
import { type FieldError, unknownId } from '@tandem/contract';
import { assigneesMax } from '@tandem/identity-contract';
import { asService } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import type { WorkflowRecord } from './workflow.ts';

type OutsideTools = Pick<Tools, 'identity' | 'ids' | 'webhooks'>;
type Draft = Pick<WorkflowRecord, 'tenantId' | 'nodes'>;

/** What prevents the publication of a draft, as other services and name servers tell. Not within a transaction. */
export async function outsideErrors(tools: OutsideTools, draft: Draft, caller: Caller): Promise<FieldError[]> {
  const [users, addresses] = await Promise.all([userErrors(tools, draft, caller), addressErrors(tools, draft)]);
  return [...users, ...addresses];
}

/** Users whom nodes notify, and who are not active users of the tenant. */
async function userErrors(
  { identity, ids }: OutsideTools,
  { tenantId, nodes }: Draft,
  caller: Caller,
): Promise<FieldError[]> {
  const named = nodes.flatMap(({ nodeId, type, data }) =>
    type === 'notify' ? usersOf(data).map((code, index) => ({ field: `nodes.${nodeId}.userIds.${index}`, code })) : [],
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

function usersOf(data: Record<string, unknown> | undefined): string[] {
  return nodeData.notify.safeParse(data ?? {}).data?.userIds ?? [];
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
