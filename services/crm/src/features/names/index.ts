import type { internalNames } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { nameCrmRecords } from './name-crm-records.ts';

export const nameHandlers = { nameCrmRecords } satisfies Handlers<typeof internalNames, Tx>;
