import type { statuses } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asStatus } from './status.ts';

export const listStatuses: Handler<typeof statuses.listStatuses> = async ({ query, tx, list }) => {
  const { entityType, pipelineId } = query;
  const page = await list({
    model: tx.statusDefinition,
    where: { ...(entityType && { entityType }), ...(pipelineId !== undefined && { pipelineId }) },
    searchIn: ['code', 'name'],
  });
  return { ...page, items: page.items.map(asStatus) };
};
