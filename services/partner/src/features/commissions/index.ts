import type { commissions } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { approveCommission } from './approve-commission.ts';
import { cancelCommission } from './cancel-commission.ts';
import { clawbackCommission } from './clawback-commission.ts';
import { createCommission } from './create-commission.ts';
import { getCommission } from './get-commission.ts';
import { holdCommission } from './hold-commission.ts';
import { listCommissions } from './list-commissions.ts';
import { listPartnerCommissions } from './list-partner-commissions.ts';
import { releaseCommission } from './release-commission.ts';

export const commissionHandlers = (tools: Tools) =>
  ({
    listPartnerCommissions: listPartnerCommissions(tools),
    listCommissions: listCommissions(tools),
    getCommission,
    createCommission: createCommission(tools),
    approveCommission,
    holdCommission,
    releaseCommission,
    cancelCommission,
    clawbackCommission,
  }) satisfies Handlers<typeof commissions, Tx>;
