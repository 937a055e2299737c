import type { internalLeads } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { type Behavior, behaving, engagedAfter } from '../segments/behavior.ts';
import type { Condition, SegmentRecord } from '../segments/segment.ts';

/** Where leads come from: a static segment, named leads, or conditions. */
export type Source =
  | { segmentId: number }
  | { leadIds: readonly number[] }
  | { conditions: Condition[]; behavior: Behavior[] };

export type SelectedLead = z.output<typeof internalLeads.selectLeads.reply>['leads'][number];

/** What reading a source needs. `as` limits the leads to those that a caller can read. */
export interface Reading {
  crm: Pick<Tools['crm'], 'selectLeads'>;
  tx: Tx;
  as: Parameters<Tools['crm']['selectLeads']>[0]['as'];
}

export interface LeadsPage {
  /** In the order of their ids. There can be fewer than the limit before the last page. */
  leads: SelectedLead[];
  /** `after` of the next page; null on the last one. */
  next: number | null;
}

export function sourceOfSegment({ id, type, conditions, behavior }: SegmentRecord): Source {
  return type === 'static' ? { segmentId: id } : { conditions, behavior };
}

/** A page of the leads of a source that exist. One call to crm, so outside of a transaction. */
export async function leadsOfSource(
  reading: Reading,
  source: Source,
  { after, limit }: { after: number | null; limit: number },
): Promise<LeadsPage> {
  const { crm, tx, as } = reading;
  const { conditions, behavior } = 'conditions' in source ? source : { conditions: [], behavior: [] };
  if ('conditions' in source && !behavior.some(({ negate }) => !negate)) {
    const { leads, next } = await crm.selectLeads({ body: { conditions, after, limit }, as });
    return { leads: await behavingLeads(tx, leads, behavior), next };
  }
  const ids = await candidates(tx, source, { after, limit });
  const asked = await behaving(tx, ids, behavior);
  // A full batch may not be the last one.
  const next = ids.length === limit ? (ids.at(-1) ?? null) : null;
  if (!asked.length) return { leads: [], next };
  const { leads } = await crm.selectLeads({ body: { conditions, ids: asked, limit }, as });
  return { leads, next };
}

/** The ids of the next leads that the source may have, in order: those that are named, were added, or did anything. */
async function candidates(
  tx: Tx,
  source: Source,
  { after, limit }: { after: number | null; limit: number },
): Promise<number[]> {
  if ('leadIds' in source) {
    const named = [...new Set(source.leadIds)].filter((id) => id > (after ?? 0));
    return named.sort((one, other) => one - other).slice(0, limit);
  }
  if ('conditions' in source) return engagedAfter(tx, after ?? 0, limit);
  const rows = await tx.segmentLead.findMany({
    where: { segmentId: source.segmentId, leadId: { gt: after ?? 0 } },
    orderBy: { leadId: 'asc' },
    take: limit,
    select: { leadId: true },
  });
  return rows.map(({ leadId }) => leadId);
}

async function behavingLeads(tx: Tx, leads: SelectedLead[], behavior: readonly Behavior[]): Promise<SelectedLead[]> {
  if (!behavior.length) return leads;
  const ids = leads.map(({ id }) => id);
  const found = new Set(await behaving(tx, ids, behavior));
  return leads.filter(({ id }) => found.has(id));
}

/** Which of these leads, at most 1,000, a source has. */
export async function amongSource(
  { crm, tx, as }: Reading,
  source: Source,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (!ids.length) return new Set();
  if ('leadIds' in source) return new Set(source.leadIds);
  if ('segmentId' in source) {
    const rows = await tx.segmentLead.findMany({
      where: { segmentId: source.segmentId, leadId: { in: [...ids] } },
      select: { leadId: true },
    });
    return new Set(rows.map(({ leadId }) => leadId));
  }
  const asked = await behaving(tx, ids, source.behavior);
  if (!asked.length) return new Set();
  const body = { conditions: source.conditions, ids: asked, limit: asked.length };
  const { leads } = await crm.selectLeads({ body, as });
  return new Set(leads.map(({ id }) => id));
}
