import type { internalPipelines } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';

export const filterPipelines: Handler<typeof internalPipelines.filterPipelines> = async ({ body, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined || !body.ids.length) return { ids: [] };
  const rows = await tx.pipeline.findMany({ where: { id: { in: body.ids } }, select: { id: true } });
  return { ids: rows.map(({ id }) => id) };
};
