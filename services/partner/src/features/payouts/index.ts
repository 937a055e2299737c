import type { payouts } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { approvePayout } from './approve-payout.ts';
import { cancelPayout } from './cancel-payout.ts';
import { createPayout } from './create-payout.ts';
import { getPayout } from './get-payout.ts';
import { getPayoutFiles } from './get-payout-files.ts';
import { listPayoutItems } from './list-payout-items.ts';
import { listPayouts } from './list-payouts.ts';
import { mailPayments } from './mail-payments.job.ts';
import { markPayoutPaid } from './mark-payout-paid.ts';
import { payItem } from './pay-item.job.ts';
import { preparePayout } from './prepare-payout.job.ts';
import { processPayout } from './process-payout.ts';
import { releasePayout } from './release-payout.job.ts';
import { retryPayout } from './retry-payout.ts';
import { servePayoutFile } from './serve-payout-file.ts';
import { settlePayout } from './settle-payout.job.ts';

export const payoutHandlers = (tools: Tools) =>
  ({
    createPayout,
    listPayouts,
    getPayout,
    getPayoutFiles: getPayoutFiles(tools),
    listPayoutItems,
    approvePayout,
    processPayout: processPayout(tools),
    markPayoutPaid,
    retryPayout: retryPayout(tools),
    cancelPayout,
    servePayoutFile: servePayoutFile(tools),
  }) satisfies Handlers<typeof payouts, Tx>;

export const payoutJobs = (tools: Tools) => [
  preparePayout,
  settlePayout,
  releasePayout,
  payItem(tools),
  mailPayments(tools),
];
