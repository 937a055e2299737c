import {
  AbTest,
  AbTestMetric,
  AbTestStatus,
  AbTestTarget,
  AbTestVariant,
  abTestStates,
} from '@tandem/campaign-contract';
import { fail, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { AbTest as AbTestRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type AbTestRecord = z.output<typeof AbTest>;
export type VariantRecord = z.output<typeof AbTestVariant>;

/** Variants as they are stored, with ids as numbers. */
export const storedVariants: z.ZodType<VariantRecord[]> = z.array(
  AbTestVariant.extend({
    templateId: z.int().optional(),
    override: AbTestVariant.shape.override.unwrap().extend({ landingPageId: z.int().optional() }).optional(),
  }),
);

const columns = z.object({
  target: AbTestTarget,
  status: AbTestStatus,
  metric: AbTestMetric,
  decidedBy: AbTest.shape.decidedBy,
  variants: storedVariants,
});

export type AbTestColumns = Omit<AbTestRow, 'environment' | 'contents' | 'winner' | 'baseline'>;

/** The columns of a test without the copied contents, which can have some megabytes. */
export const abTestColumns = {
  id: true,
  tenantId: true,
  campaignId: true,
  name: true,
  target: true,
  status: true,
  workflowId: true,
  nodeId: true,
  landingPageId: true,
  variants: true,
  metric: true,
  samplePercent: true,
  minSample: true,
  durationHours: true,
  confidence: true,
  autoPromote: true,
  winnerKey: true,
  decidedBy: true,
  inconclusive: true,
  startedAt: true,
  endsAt: true,
  endedAt: true,
  createdBy: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const;

/** Converts a row to the contract's `AbTest`. */
export function asAbTest(row: AbTestColumns): AbTestRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: abTestStates.next(checked.status) };
}

/** The campaign of a request must exist, and be one that the caller may see. */
export async function checkCampaignOfPath(tx: Tx, id: number): Promise<void> {
  if (!(await tx.campaign.findFirst({ where: { id, deletedAt: null }, select: { id: true } }))) throw fail('not_found');
}

/** Fails with 409 for a test of e-mails in a completed campaign, which sends none. Its pages are shown as before. */
export async function checkSends(
  tx: Tx,
  { campaignId, target }: Pick<AbTestRecord, 'campaignId' | 'target'>,
): Promise<void> {
  if (target === 'landing_page') return;
  if (await tx.campaign.count({ where: { id: campaignId, status: 'completed' } })) throw fail('campaign_completed');
}

export interface TestPath {
  id: number;
  testId: number;
}

/** Locks a test of a campaign, so that checks on it still hold when it is written. */
export async function lockTest(tx: Tx, { id: campaignId, testId }: TestPath): Promise<AbTestRow> {
  const row = await tx.abTest.lockFirst({ where: { id: testId, campaignId } });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails unless the state table allows the transition. */
export function checkTransition({ status, allowedTransitions }: AbTestRecord, to: AbTestRecord['status']): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
}

/** The content of the events of a test. */
export function eventOf(test: AbTestRecord) {
  const { id: abTestId, campaignId, name, status } = test;
  return { data: { abTestId, campaignId, name, status }, record: test };
}
