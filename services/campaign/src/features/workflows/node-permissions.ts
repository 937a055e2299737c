import type { Caller } from '@tandem/caller';
import type { NodeType } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import { fail, reachOf } from '@tandem/service';
import type { WorkflowRecord } from './workflow.ts';

// Nodes change and read leads with permissions of the service, so whoever publishes them must have the same.
const neededBy: Partial<Record<NodeType, string>> = {
  update_lead: 'leads:write',
  assign: 'leads:write',
  create_task: 'tasks:write',
  // They give the values of leads to others.
  notify: 'leads:read',
  webhook: 'leads:read',
};

/**
 * Fails with 403 if a node does what the caller may not do without a workflow. A workflow acts on any lead of the tenant, so
 * a permission that is limited to own or team records is not enough.
 */
export function checkNodePermissions(caller: Caller, { nodes }: Pick<WorkflowRecord, 'nodes'>): void {
  const errors = nodes.flatMap(({ nodeId, type }): FieldError[] => {
    const permission = neededBy[type];
    if (permission === undefined || reachOf(caller, permission) === 'all') return [];
    return [{ field: `nodes.${nodeId}`, message: `Requires the permission ${permission} for all records` }];
  });
  if (errors.length) throw fail('forbidden', errors);
}
