import { actingUserId } from '@tandem/caller';
import { segmentCreated, type segments } from '@tandem/campaign-contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { type Behavior, checkCampaigns, completeBehavior } from './behavior.ts';
import { checkLeads, placed } from './check-leads.ts';
import { addLeads, asSegment, type Condition, checkConditions, eventOf, nameError, toListColumn } from './segment.ts';

interface Checked {
  conditions: Condition[];
  behavior: Behavior[];
}

export const createSegment = (tools: Pick<Tools, 'crm'>): Handler<typeof segments.createSegment, Checked> => ({
  async check({ body, caller }) {
    const { type, conditions = [], behavior = [], leadIds = [] } = body;
    if (type === 'static' && conditions.length)
      throw failField('conditions', 'Must be omitted for a static segment; use the type filter');
    if (type === 'static' && behavior.length)
      throw failField('behavior', 'Must be omitted for a static segment; use the type filter');
    if (type === 'filter' && !conditions.length && !behavior.length)
      throw failField('conditions', 'Must contain at least one condition, unless behavior has one');
    if (type === 'filter' && leadIds.length)
      throw failField('leadIds', 'Must be omitted for a filter segment; use the type static');
    const checked = { conditions: checkConditions(conditions), behavior: completeBehavior(behavior) };
    if (leadIds.length) await checkLeads(tools, caller, placed('leadIds', leadIds));
    return checked;
  },
  async run({ body, found: { conditions, behavior }, caller, tx, emit, schedule }) {
    await checkCampaigns(tx, behavior);
    const { leadIds = [], ...fields } = body;
    const data = {
      ...fields,
      conditions: toListColumn(conditions),
      behavior: toListColumn(behavior),
      leadCount: new Set(leadIds).size,
      createdBy: actingUserId(caller) ?? null,
    };
    const row = await tx.segment.create({ data }).catch((error: unknown) => {
      throw nameError(error);
    });
    await addLeads({ tx, schedule }, row.id, leadIds);
    const segment = asSegment(row);
    emit(segmentCreated, eventOf(segment));
    return segment;
  },
});
