import type { statuses } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createStatus } from './create-status.ts';
import { listStatuses } from './list-statuses.ts';

export const statusHandlers = { createStatus, listStatuses } satisfies Handlers<typeof statuses, Tx>;
