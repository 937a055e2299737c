import type { sendingDomains } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { SendingDomain as DomainRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { applyChecks } from './apply-checks.ts';
import { type Check, checkRecords } from './records.ts';
import { asSendingDomain, lockSendingDomain } from './sending-domain.ts';

export const verifySendingDomain = (
  tools: Pick<Tools, 'spf' | 'dns'>,
): Handler<typeof sendingDomains.verifySendingDomain, { checked: DomainRow; checks: Check[] }> => ({
  async check({ params, tx }) {
    const row = await tx.sendingDomain.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return { checked: row, checks: await checkRecords(tools.dns, row, tools.spf) };
  },
  async run({ params, found: { checked, checks }, tx, emit, ifMatch }) {
    const row = await lockSendingDomain(tx, params.id);
    ifMatch(row);
    // The checks are of other keys if a rotation began or ended meanwhile.
    if (row.selector !== checked.selector || row.nextSelector !== checked.nextSelector)
      return asSendingDomain(tools, row);
    return applyChecks({ tx, emit }, tools, row, checks);
  },
});
