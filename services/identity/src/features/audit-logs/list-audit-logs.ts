import { type ResourceType, resourceTypes } from '@tandem/contract';
import type { auditLogs } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asAuditLog, visibleTo } from './audit-log.ts';

export const listAuditLogs =
  ({ ids }: Tools): Handler<typeof auditLogs.listAuditLogs> =>
  async ({ query, caller, tx, list }) => {
    const { actorId, onBehalfOfId, keyId, action, targetType, targetId, environment, outcome, from, to } = query;
    const target =
      targetId === undefined
        ? targetType && { targetType }
        : readTarget(ids, caller.tenantId as number, { targetType, targetId });
    const page = await list({
      model: tx.auditLog,
      where: {
        ...(actorId !== undefined && { actorId }),
        ...(onBehalfOfId !== undefined && { onBehalfOfId }),
        ...(keyId !== undefined && { keyId }),
        ...(action && { action }),
        ...target,
        ...(outcome && { outcome }),
        ...(environment && { recordEnvironment: environment }),
        ...((from || to) && { occurredAt: { ...(from && { gte: from }), ...(to && { lte: to }) } }),
      },
      and: [visibleTo(caller)],
    });
    return { ...page, items: page.items.map((row) => asAuditLog(row, ids)) };
  };

/** A public id determines its resource type; `targetType`, if present, must match. */
export function readTarget(
  ids: IdCodec,
  tenantId: number,
  filter: { targetType: ResourceType | undefined; targetId: string },
  field = 'targetId',
) {
  const types = filter.targetType ? [filter.targetType] : (Object.keys(resourceTypes) as ResourceType[]);
  for (const targetType of types) {
    const targetId = ids.decode(targetType, tenantId, filter.targetId);
    if (targetId !== undefined) return { targetType, targetId };
  }
  throw failField(field, 'No record with this id');
}
