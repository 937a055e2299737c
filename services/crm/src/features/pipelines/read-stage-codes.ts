import type { internalPipelines } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';

export const readStageCodes: Handler<typeof internalPipelines.readStageCodes> = async ({ caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) return { codes: [] };
  const rows = await tx.statusDefinition.findMany({
    where: { entityType: 'opportunity' },
    select: { code: true },
    orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }],
  });
  return { codes: [...new Set(rows.map(({ code }) => code))] };
};
