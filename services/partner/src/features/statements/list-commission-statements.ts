import { fromMinor } from '@tandem/contract';
import type { KnownSettings } from '@tandem/identity-contract';
import type { Statement, statements } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { postMissing } from '../ledger/post-missing.ts';
import { readPartner } from '../partners/partner.ts';
import { type Sums, sumUp } from './sums.ts';
import { monthsWith } from './time-zone.ts';

const linkMs = 15 * 60_000;

export const listCommissionStatements = ({
  links,
  publicUrl,
  settingsOf,
}: Tools): Handler<typeof statements.listCommissionStatements, KnownSettings> => ({
  check: ({ caller }) => settingsOf(caller),
  async run({ params, query, caller, tx, list, found: settings }) {
    const { period, status } = query;
    const { id: partnerId } = await readPartner(tx, params.id);
    await postMissing(tx, partnerId);
    const now = new Date();
    const months = await monthsWith(tx, settings);
    const current = months.of(now);
    const page = await list({
      model: tx.statement,
      where: { partnerId },
      and: [
        ...(period ? [{ period }] : []),
        ...(status ? [{ period: status === 'open' ? { gte: current } : { lt: current } }] : []),
      ],
    });
    const sums = await sumUp(
      tx,
      partnerId,
      page.items.map(({ currency }) => currency),
    );
    const downloadUrlExpiresAt = new Date(now.getTime() + linkMs);
    const scope = { tenantId: caller.tenantId as number, environment: caller.environment };
    const items = page.items.map((statement): z.output<typeof Statement> => {
      const { start: periodStart, end: periodEnd } = months.boundsOf(statement.period);
      const token = links.issue(
        { ...scope, partnerId, period: statement.period, currency: statement.currency },
        downloadUrlExpiresAt,
      );
      return {
        id: statement.id,
        partnerId,
        periodStart,
        periodEnd,
        currency: statement.currency,
        ...toMajorUnits(sums(statement), statement.currency),
        status: statement.period >= current ? 'open' : 'final',
        downloadUrl: `${publicUrl}/v1/public/statements/${token}`,
        downloadUrlExpiresAt,
        generatedAt: now,
      };
    });
    return { ...page, items };
  },
});

function toMajorUnits({ opening, earned, adjustments, clawbacks, paid, closing, count }: Sums, currency: string) {
  const major = (minor: number) => fromMinor(minor, currency);
  return {
    openingBalance: major(opening),
    earned: major(earned),
    adjustments: major(adjustments),
    clawbacks: major(clawbacks),
    paid: major(paid),
    closingBalance: major(closing),
    commissionCount: count,
  };
}
