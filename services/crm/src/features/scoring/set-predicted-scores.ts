import { actingUserId } from '@tandem/caller';
import { knownErrors } from '@tandem/contract';
import type { internalPredictedScores } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asLead, type LeadRecord } from '../leads/lead.ts';
import { writeScore } from './write-score.ts';

interface Refusal {
  code: string;
  message: string;
}

const notFound = { code: 'not_found', message: knownErrors.not_found[1] };
const stale = { code: 'stale_version', message: 'The lead has changed since the score was calculated; score it again' };
const pinned = { code: 'score_pinned', message: 'The score was set by hand; release it first' };

export const setPredictedScores: Handler<typeof internalPredictedScores.setPredictedScores> = async ({
  body: { scores, reason },
  caller,
  tx,
  emit,
}) => {
  const errors = new Map<number, Refusal | null>();
  // Locked in the order of ids, so that two requests cannot wait for each other.
  for (const { leadId, score, version } of [...scores].sort((one, other) => one.leadId - other.leadId)) {
    const row = await tx.lead.lockFirst({ where: { id: leadId } });
    const lead = row && !row.deletedAt ? asLead(row) : undefined;
    const error = refusalOf(lead, version);
    errors.set(leadId, error ?? null);
    if (!lead || error) continue;
    await writeScore({ tx, emit }, lead, {
      ...{ score, reason, scorePinned: false, components: [] },
      cause: 'prediction',
      byUserId: actingUserId(caller) ?? null,
    });
  }
  return scores.map(({ leadId }) => ({ leadId, error: errors.get(leadId) ?? null }));
};

function refusalOf(lead: LeadRecord | undefined, version: number): Refusal | undefined {
  if (!lead) return notFound;
  if (lead.scorePinned) return pinned;
  return lead.version === version ? undefined : stale;
}
