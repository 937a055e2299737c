import type { statuses } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { defineStatuses } from './define-statuses.ts';
import type { StatusRecord } from './status.ts';

export const createStatus: Handler<typeof statuses.createStatus> = async ({ body, tx, emit }) => {
  const { entityType, pipelineId, ...item } = body;
  const [created] = await defineStatuses({ tx, emit }, { entityType, pipelineId, items: [item] });
  return created as StatusRecord;
};
