import { actingUserId } from '@tandem/caller';
import { type activities, activityLogged } from '@tandem/crm-contract';
import { checkPartner } from '../../check-partner.ts';
import type { Handler, Peers } from '../../handler.ts';
import { holdLead } from '../leads/lead.ts';
import { asActivity, checkLinked, checkOccurredAt, timelineAccountOf } from './activity.ts';
import { checkRecords } from './check-records.ts';

export const createActivity = (peers: Peers): Handler<typeof activities.createActivity> => ({
  async check({ body, caller, tx, under }) {
    const { leadId = null, opportunityId = null, accountId = null, partnerId = null } = body;
    checkLinked({ leadId, opportunityId, accountId, partnerId });
    checkOccurredAt(body.occurredAt);
    await checkRecords({ tx, under }, body);
    await checkPartner(peers, body.partnerId, caller);
  },
  async run({ body, caller, tx, emit }) {
    const { leadId = null, opportunityId = null, accountId = null } = body;
    await holdLead(tx, leadId);
    const timelineAccountId = await timelineAccountOf(tx, { leadId, opportunityId, accountId });
    const data = { ...body, timelineAccountId, userId: actingUserId(caller) ?? null };
    const activity = asActivity(await tx.activity.create({ data }));
    emit(activityLogged, { data: { activityId: activity.id, type: body.type, leadId }, record: activity });
    return activity;
  },
});
