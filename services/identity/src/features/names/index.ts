import type { internalNames } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { nameIdentityRecords } from './name-identity-records.ts';

export const nameHandlers = { nameIdentityRecords } satisfies Handlers<typeof internalNames, Tx>;
