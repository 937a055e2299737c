import type { tiers } from '@tandem/partner-contract';
import { asService, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { findCompletions } from './completions.ts';
import { evaluateTier, lockForReview, type Terms } from './evaluate.ts';
import { readTiers } from './tier-rules.ts';

export const evaluatePartnerTier = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof tiers.evaluatePartnerTier, Terms> => ({
  async check({ params, caller, tx }) {
    const { id } = await readPartner(tx, params.id);
    const { tiers } = await readTiers(tx);
    const completions = await findCompletions(peers, asService(caller), { tiers, partnerIds: [id] });
    return { tiers, completions: completions.get(id) ?? [] };
  },
  async run({ params, tx, emit, schedule, found: terms }) {
    const row = await lockForReview(tx, params.id);
    if (!row) throw fail('not_found');
    if (row.status !== 'approved')
      throw fail('partner_not_approved', [
        { field: 'id', message: `The partner is ${row.status}; only approved partners are evaluated` },
      ]);
    // Tiers that were set since the check are evaluated by their own job, with the completions of their courses.
    return evaluateTier({ tx, emit, schedule }, row, terms);
  },
});
