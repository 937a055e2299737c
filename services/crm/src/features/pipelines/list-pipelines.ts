import type { pipelines } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asPipeline } from './pipeline.ts';

export const listPipelines: Handler<typeof pipelines.listPipelines> = async ({ tx, list }) => {
  const page = await list({ model: tx.pipeline, searchIn: ['name'] });
  return { ...page, items: page.items.map(asPipeline) };
};
