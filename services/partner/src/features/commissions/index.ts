import type { commissions } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { listPartnerCommissions } from './list-partner-commissions.ts';

export const commissionHandlers = (tools: Tools) =>
  ({ listPartnerCommissions: listPartnerCommissions(tools) }) satisfies Handlers<typeof commissions, Tx>;
