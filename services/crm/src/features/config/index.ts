import type { statuses } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { bulkCreateStatuses } from './bulk-create-statuses.ts';
import { createStatus } from './create-status.ts';
import { deleteStatus } from './delete-status.ts';
import { getStatus } from './get-status.ts';
import { listStatuses } from './list-statuses.ts';
import { orderStatuses } from './order-statuses.ts';
import { updateStatus } from './update-status.ts';

export const statusHandlers = {
  createStatus,
  bulkCreateStatuses,
  listStatuses,
  orderStatuses,
  getStatus,
  updateStatus,
  deleteStatus,
} satisfies Handlers<typeof statuses, Tx>;
