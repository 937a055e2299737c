import {
  LeadScore,
  leadScoreThresholdCrossed,
  leadUpdated,
  type scoreCauses,
  scoreThresholds,
} from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { diff } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { type LeadRecord, writeLead } from '../leads/lead.ts';
import type { Component } from './points.ts';

export type ScoreCause = (typeof scoreCauses)[number];
type Inside = { tx: Tx; emit: Emit };

/** Why a score changed. */
export interface ScoreReason {
  cause: ScoreCause;
  ruleId?: number | null;
  reason?: string | null;
  byUserId?: number | null;
}

// With internal ids, which the schema of the contract would decode.
const columns = z.array(LeadScore.shape.components.element.extend({ ruleId: z.int() }));

/** Reads the parts of a score from their column. */
export function storedComponents(column: unknown): Component[] {
  return columns.parse(column ?? []);
}

/** The score of a lead as the API shows it. */
export async function readScore(tx: Tx, leadId: number): Promise<z.output<typeof LeadScore> | undefined> {
  const row = await tx.lead.findFirst({ where: { id: leadId, deletedAt: null } });
  if (!row) return undefined;
  const { score, version, updatedAt, scoredAt } = row;
  const pinned = row.scorePinned ?? score !== 0;
  const components = pinned ? [] : storedComponents(row.scoreComponents);
  return { leadId, score, pinned, components, scoredAt, version, updatedAt };
}

/** Writes the score of a locked lead with its event; returns the lead. A score that stays the same is not written. */
export async function writeScore(
  { tx, emit }: Inside,
  lead: LeadRecord,
  next: { score: number; scorePinned: boolean; components: Component[] } & ScoreReason,
): Promise<LeadRecord> {
  const { score, scorePinned, components, ...why } = next;
  const { isEmpty, values, audit } = diff(lead, { score, scorePinned });
  const columns = { scorePinned, scoreComponents: components, scoredAt: new Date() };
  if (isEmpty) {
    await tx.lead.updateMany({ where: { id: lead.id }, data: columns });
    return lead;
  }
  const updated = await writeLead(tx, lead.id, { ...columns, score });
  const scoreCause = values.score !== undefined && { scoreCause: why.cause };
  emit(leadUpdated, { data: { leadId: lead.id, changes: values, ...scoreCause }, record: updated, changes: audit });
  await scoreChanged({ tx, emit }, [{ from: lead.score, lead: updated, ...why }]);
  return updated;
}

/** A lead whose score was written, with the score before. */
export type ScoreChange = ScoreReason & { from: number; lead: LeadRecord };

/** Adds changes of scores to the history, and emits the thresholds that they crossed. */
export async function scoreChanged({ tx, emit }: Inside, changes: readonly ScoreChange[]): Promise<void> {
  const changed = changes.filter(({ from, lead }) => from !== lead.score);
  if (!changed.length) return;
  const rows = changed.map(({ from, lead, cause, ruleId = null, reason = null, byUserId = null }) => ({
    leadId: lead.id,
    score: lead.score,
    // Decimal places of scores such as 0.1 + 0.2 would be noise.
    delta: Math.round((lead.score - from) * 1e6) / 1e6,
    cause,
    ruleId,
    reason,
    byUserId,
  }));
  await tx.leadScoreChange.createMany({ data: rows });
  for (const { from, lead } of changed) {
    const to = lead.score;
    for (const threshold of scoreThresholds)
      if (from >= threshold !== to >= threshold)
        emit(leadScoreThresholdCrossed, { data: { leadId: lead.id, threshold, from, to }, record: lead });
  }
}
