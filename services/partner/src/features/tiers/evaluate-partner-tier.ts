import type { tiers } from '@tandem/partner-contract';
import { asService, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { findCompletions } from './completions.ts';
import { evaluateTier, isOvertaken, lockForReview, type Terms } from './evaluate.ts';
import { reviewTierJob } from './tier-jobs.ts';
import { readTiers } from './tier-rules.ts';

export const evaluatePartnerTier = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof tiers.evaluatePartnerTier, Terms> => ({
  async check({ params, caller, tx }) {
    const row = await tx.partner.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const { id, tierEvaluations: evaluations } = row;
    const { tiers } = await readTiers(tx);
    const completions = await findCompletions(peers, asService(caller), { tiers, partnerIds: [id] });
    return { evaluations, tiers, completions: completions.get(id) ?? [] };
  },
  async run({ params, tx, emit, schedule, found: terms }) {
    const row = await lockForReview(tx, params.id);
    if (!row) throw fail('not_found');
    if (row.status !== 'approved')
      throw fail('partner_not_approved', [
        { field: 'id', message: `The partner is ${row.status}; only approved partners are evaluated` },
      ]);
    // Another evaluation may have seen newer tiers or completions, and no event follows: the job reads them again.
    if (isOvertaken(row, terms)) await schedule(reviewTierJob, [{ partnerId: row.id, reviewAt: null }]);
    return evaluateTier({ tx, emit, schedule }, row, terms);
  },
});
