import type { tiers } from '@tandem/partner-contract';
import { asService, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { findCompletions } from './completions.ts';
import { type Completion, evaluateTier } from './evaluate.ts';
import { readTiers } from './tier-rules.ts';

export const evaluatePartnerTier = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof tiers.evaluatePartnerTier, Completion[]> => ({
  async check({ params, caller, tx }) {
    const { id } = await readPartner(tx, params.id);
    const { tiers } = await readTiers(tx);
    return (await findCompletions(peers, asService(caller), { tiers, partnerIds: [id] })).get(id) ?? [];
  },
  async run({ params, tx, emit, schedule, found: completions }) {
    const row = await tx.partner.lockFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    if (row.status !== 'approved')
      throw fail('partner_not_approved', [
        { field: 'id', message: `The partner is ${row.status}; only approved partners are evaluated` },
      ]);
    const { tiers } = await readTiers(tx);
    return evaluateTier({ tx, emit, schedule }, row, { tiers, completions });
  },
});
