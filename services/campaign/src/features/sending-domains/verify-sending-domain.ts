import type { sendingDomains } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { applyChecks } from './apply-checks.ts';
import { type Check, checkRecords } from './records.ts';
import { lockSendingDomain } from './sending-domain.ts';

export const verifySendingDomain = (
  tools: Pick<Tools, 'spf' | 'readTxt'>,
): Handler<typeof sendingDomains.verifySendingDomain, Check[]> => ({
  async check({ params, tx }) {
    const row = await tx.sendingDomain.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return checkRecords(tools.readTxt, row, tools.spf);
  },
  async run({ params, found: checks, tx, emit, ifMatch }) {
    const row = await lockSendingDomain(tx, params.id);
    ifMatch(row);
    return applyChecks({ tx, emit }, tools, row, checks);
  },
});
