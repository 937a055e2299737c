import type { internalNames } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { namePartners } from './name-partners.ts';

export const nameHandlers = { namePartners } satisfies Handlers<typeof internalNames, Tx>;
