import { segmentLeadsMax, type segments, segmentUpdated } from '@tandem/campaign-contract';
import { diff, fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Behavior, checkCampaigns, completeBehavior } from './behavior.ts';
import { checkLeads, placed } from './check-leads.ts';
import {
  addLeads,
  asSegment,
  type Condition,
  checkConditions,
  eventOf,
  lockSegment,
  nameError,
  type SegmentRecord,
  toListColumn,
} from './segment.ts';

interface Checked {
  conditions?: Condition[];
  behavior?: Behavior[];
}

export const updateSegment = (tools: Pick<Tools, 'crm'>): Handler<typeof segments.updateSegment, Checked> => ({
  async check({ body, caller }) {
    const checked = {
      ...(body.conditions && { conditions: checkConditions(body.conditions) }),
      ...(body.behavior && { behavior: completeBehavior(body.behavior) }),
    };
    const removed = new Set(body.removeLeadIds);
    if (body.addLeadIds?.some((id) => removed.has(id)))
      throw failField('removeLeadIds', 'Must not contain leads of addLeadIds');
    if (body.addLeadIds?.length) await checkLeads(tools, caller, placed('addLeadIds', body.addLeadIds));
    return checked;
  },
  async run({ params, body, found, tx, emit, schedule, ifMatch }) {
    const segment = await lockSegment(tx, params.id);
    ifMatch(segment);
    checkType(segment, body, found);
    const { addLeadIds = [], removeLeadIds = [], conditions: _, behavior: __, ...fields } = body;
    await checkCampaigns(tx, found.behavior);
    const change = await changeLeads({ tx, schedule }, segment, { addLeadIds, removeLeadIds });
    const { isEmpty, values, audit } = diff(segment, { ...fields, ...found, leadCount: change.leadCount });
    if (isEmpty && !change.isChanged) return segment;
    const { conditions, behavior, leadCount, ...plain } = values;
    const [written] = await tx.segment
      .updateManyAndReturn({
        where: { id: segment.id },
        data: {
          ...plain,
          ...(conditions && { conditions: toListColumn(conditions) }),
          ...(behavior && { behavior: toListColumn(behavior) }),
          ...(typeof leadCount === 'number' && { leadCount }),
          version: { increment: 1 },
        },
      })
      .catch((error: unknown) => {
        throw nameError(error);
      });
    if (!written) throw fail('not_found');
    const updated = asSegment(written);
    emit(segmentUpdated, { ...eventOf(updated), changes: audit });
    return updated;
  },
});

interface Leads {
  addLeadIds: readonly number[];
  removeLeadIds: readonly number[];
}

function checkType(segment: SegmentRecord, body: Partial<Leads>, { conditions, behavior }: Checked): void {
  const { type } = segment;
  if (type === 'static' && conditions?.length)
    throw failField('conditions', 'Must be omitted, because the segment is static');
  if (type === 'static' && behavior?.length)
    throw failField('behavior', 'Must be omitted, because the segment is static');
  const left = [...(conditions ?? segment.conditions), ...(behavior ?? segment.behavior)];
  if (type === 'filter' && !left.length)
    throw failField(
      conditions ? 'conditions' : 'behavior',
      'Must leave at least one condition in conditions or behavior',
    );
  for (const field of ['addLeadIds', 'removeLeadIds'] as const)
    if (type === 'filter' && body[field]?.length)
      throw failField(field, 'Must be omitted, because the segment has the leads that meet its conditions');
}

/** Changes the leads of a locked segment. One lead added and another removed leaves the count, but is a change. */
async function changeLeads(
  { tx, schedule }: Parameters<typeof addLeads>[0],
  segment: SegmentRecord,
  { addLeadIds, removeLeadIds }: Leads,
): Promise<{ leadCount: number | null; isChanged: boolean }> {
  if (segment.leadCount === null) return { leadCount: null, isChanged: false };
  const removed = removeLeadIds.length
    ? (await tx.segmentLead.deleteMany({ where: { segmentId: segment.id, leadId: { in: [...removeLeadIds] } } })).count
    : 0;
  const added = await addLeads({ tx, schedule }, segment.id, addLeadIds);
  const leadCount = segment.leadCount + added - removed;
  if (leadCount > segmentLeadsMax) throw fail('too_many_leads');
  return { leadCount, isChanged: added + removed > 0 };
}
