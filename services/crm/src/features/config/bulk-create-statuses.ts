import type { statuses } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { defineStatuses } from './define-statuses.ts';

export const bulkCreateStatuses: Handler<typeof statuses.bulkCreateStatuses> = async ({ body, tx, emit }) => {
  const { entityType, pipelineId, statuses: items } = body;
  const wanted = { entityType, pipelineId, items, at: (index: number) => `statuses.${index}.` };
  return { statuses: await defineStatuses({ tx, emit }, wanted) };
};
