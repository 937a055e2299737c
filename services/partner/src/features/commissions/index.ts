import type { commissions } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { listPartnerCommissions } from './list-partner-commissions.ts';

export const commissionHandlers = { listPartnerCommissions } satisfies Handlers<typeof commissions, Tx>;
