import type { behaviorEvents, Segment } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

export type Behavior = z.output<typeof Segment>['behavior'][number];

const dayMs = 24 * 60 * 60 * 1000;
const typesOf: Readonly<Record<(typeof behaviorEvents)[number], readonly string[]>> = {
  // A click counts as an open, because many mail clients do not load images.
  opened: ['email_open', 'link_click'],
  clicked: ['link_click'],
  replied: ['email_reply'],
  form_submitted: ['form_submission'],
  visited: ['page_visit'],
};

interface Written extends Pick<Behavior, 'event' | 'negate'> {
  campaignId?: number | null | undefined;
  withinDays?: number | null | undefined;
}

/** Behavior of a request as it is stored. */
export function completeBehavior(written: readonly Written[]): Behavior[] {
  return written.map(({ campaignId = null, withinDays = null, ...one }) => ({ ...one, campaignId, withinDays }));
}

/** Fails with 422 unless the campaigns exist. */
export async function checkCampaigns(tx: Tx, behavior: readonly Behavior[] = []): Promise<void> {
  const ids = behavior.flatMap(({ campaignId }) => campaignId ?? []);
  if (!ids.length) return;
  const rows = await tx.campaign.findMany({ where: { id: { in: ids }, deletedAt: null }, select: { id: true } });
  const known = new Set(rows.map(({ id }) => id));
  const errors = behavior.flatMap(({ campaignId }, index) =>
    campaignId === null || known.has(campaignId)
      ? []
      : [{ field: `behavior.${index}.campaignId`, message: unknownId('campaign') }],
  );
  if (errors.length) throw fail('validation_failed', errors);
}

/** The leads that meet all entries of a behavior, in their order. */
export async function behaving(tx: Tx, leadIds: readonly number[], behavior: readonly Behavior[]): Promise<number[]> {
  if (!behavior.length || !leadIds.length) return [...leadIds];
  const wanted = behavior.map(({ event, campaignId, withinDays, negate }) => ({
    types: typesOf[event],
    campaign: campaignId,
    since: withinDays === null ? null : new Date(Date.now() - withinDays * dayMs),
    negate,
  }));
  const rows = await tx.sql<{ id: number }>`
    SELECT lead.id FROM unnest(${leadIds}::bigint[]) WITH ORDINALITY AS lead (id, place)
    WHERE NOT EXISTS (
      SELECT FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        AS wanted (types text[], campaign bigint, since timestamptz, negate boolean)
      WHERE wanted.negate = EXISTS (
        SELECT FROM engagement WHERE tenant_id = platform.tenant_id() AND environment = platform.environment()
          AND lead_id = lead.id AND engagement.type = ANY(wanted.types) AND NOT automated
          AND (wanted.campaign IS NULL OR campaign_id = wanted.campaign)
          AND at >= coalesce(wanted.since, '-infinity')))
    ORDER BY lead.place`;
  return rows.map(({ id }) => id);
}

/**
 * The next leads that did anything, by id. One index lookup finds the next lead, so that leads with much engagement do not
 * make a page longer.
 */
export async function engagedAfter(tx: Tx, after: number, limit: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    WITH RECURSIVE engaged (id) AS (
      SELECT min(lead_id) FROM engagement
      WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND lead_id > ${after}::bigint
      UNION ALL
      SELECT (SELECT min(lead_id) FROM engagement
        WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND lead_id > engaged.id)
      FROM engaged WHERE id IS NOT NULL)
    SELECT id FROM engaged WHERE id IS NOT NULL LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}
