import { Readable } from 'node:stream';
import type { payouts } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { openAccount } from '../payout-accounts/account.ts';
import { type BankPayment, toPaymentCsv } from './bank-files.ts';
import { readPayer } from './payer.ts';

/** The file has the payments that are pending, so a file that is downloaded after a report does not pay them again. */
export const servePayoutFile =
  (tools: Tools): Handler<typeof payouts.servePayoutFile> =>
  async ({ params, caller, inTenant }) => {
    const link = tools.payoutLinks.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, payoutId, format } = link;
    const payer = await readPayer(tools.addonSettings, { tenantId, environment, requestId: caller.requestId });
    const found = await inTenant({ tenantId, environment }, async ({ tx }) => {
      const payout = await tx.payout.findFirst({ where: { id: payoutId, status: 'processing', method: 'file' } });
      return (
        payout && { payout, payments: await readPayments(tx, tools, { tenantId, payoutId, currency: payout.currency }) }
      );
    });
    if (!found?.payments.length) throw fail('not_found');
    const { payout, payments } = found;
    const id = tools.ids.encode('payout', tenantId, payoutId);
    const name = `payout-${id}`;
    if (format === 'csv')
      return {
        body: Readable.from([toPaymentCsv(payments)]),
        type: 'text/csv; charset=utf-8',
        disposition: { kind: 'attachment', filename: `${name}.csv` },
      };
    if (!payer) throw fail('not_found');
    const at = payout.processedAt ?? payout.createdAt;
    // A retry is another file to the bank. A download after the first reports is not: the bank may have the whole file.
    const file = { id: `${id}-${Math.floor(at.getTime() / 1_000)}`, payer, at };
    return {
      body: Readable.from([await tools.documents.run('payments', { payments, file }, tenantId)]),
      type: 'application/xml; charset=utf-8',
      disposition: { kind: 'attachment', filename: `${name}.xml` },
    };
  };

interface Of {
  tenantId: number;
  payoutId: number;
  currency: string;
}

/** Reads the pending payments with the accounts that were fixed when the payout was processed. */
async function readPayments(
  tx: Tx,
  { ids, seal }: Tools,
  { tenantId, payoutId, currency }: Of,
): Promise<BankPayment[]> {
  const rows = await tx.sql<{ id: number; partnerId: number; amountMinor: number; account: string; sealRef: string }>`
    SELECT item.id, item.partner_id AS "partnerId", amount_minor AS "amountMinor", account.account,
      account.seal_ref AS "sealRef"
    FROM payout_item AS item JOIN payout_account AS account ON account.id = item.account_id
    WHERE payout_id = ${payoutId} AND status = 'pending' ORDER BY item.id`;
  return rows.map(({ id, partnerId, amountMinor, ...account }) => ({
    reference: ids.encode('payout_item', tenantId, id),
    partner: ids.encode('partner', tenantId, partnerId),
    amountMinor,
    currency,
    account: openAccount(seal, account),
  }));
}
