import type { pipelines } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPipeline, withStages } from './pipeline.ts';

export const getPipeline: Handler<typeof pipelines.getPipeline> = async ({ params, tx }) => {
  const row = await tx.pipeline.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return withStages(tx, asPipeline(row));
};
