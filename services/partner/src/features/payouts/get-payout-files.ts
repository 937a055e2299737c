import type { payouts } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { sepaCountries } from './bank-files.ts';
import { readPayer } from './payer.ts';
import { readPayout } from './payout.ts';

const linkMs = 15 * 60_000;

export const getPayoutFiles = ({
  addonSettings,
  payoutLinks,
  publicUrl,
}: Tools): Handler<typeof payouts.getPayoutFiles, boolean> => ({
  check: async ({ caller }) => (await readPayer(addonSettings, caller)) !== undefined,
  async run({ params, caller, tx, found: hasPayer }) {
    const payout = await readPayout(tx, params.id);
    if (payout.status !== 'processing' || payout.method !== 'file') throw fail('not_processing');
    const isSepa = hasPayer && payout.currency === 'EUR' && !(await leavesSepa(tx, payout.id));
    const formats = isSepa ? (['csv', 'pain.001'] as const) : (['csv'] as const);
    const expiresAt = new Date(Date.now() + linkMs);
    const scope = { tenantId: caller.tenantId as number, environment: caller.environment };
    return {
      files: formats.map((format) => {
        const token = payoutLinks.issue({ ...scope, payoutId: payout.id, format }, expiresAt);
        return { format, url: `${publicUrl}/v1/public/payout-files/${token}`, expiresAt };
      }),
    };
  },
});

/** Whether a pending payment goes to an account outside of SEPA, which a transfer within SEPA cannot reach. */
async function leavesSepa(tx: Tx, payoutId: number): Promise<boolean> {
  const [outside] = await tx.sql`
    SELECT FROM payout_item AS item JOIN payout_account AS account ON account.id = item.account_id
    WHERE item.payout_id = ${payoutId} AND item.status = 'pending' AND left(account.masked, 2) <> ALL(${sepaCountries}) LIMIT 1`;
  return outside !== undefined;
}
