import type { internalPipelines } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPipeline, withStages } from './pipeline.ts';

export const readPipeline: Handler<typeof internalPipelines.readPipeline> = async ({ body: { id }, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) throw fail('not_found');
  const row = await tx.pipeline.findFirst({ where: id === null ? { isDefault: true } : { id } });
  if (!row) throw fail('not_found');
  return withStages(tx, asPipeline(row));
};
