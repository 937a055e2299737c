import { actingUserId } from '@tandem/caller';
import { type activities, activityLogged } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asActivity, checkLinked, checkLinks, checkOccurredAt, timelineAccountOf } from './activity.ts';

export const createActivity: Handler<typeof activities.createActivity> = {
  async check({ body, tx, under }) {
    const { leadId = null, opportunityId = null, accountId = null } = body;
    checkLinked({ leadId, opportunityId, accountId });
    checkOccurredAt(body.occurredAt);
    await checkLinks({ under, tx }, body);
  },
  async run({ body, caller, tx, emit }) {
    const { leadId = null, opportunityId = null, accountId = null } = body;
    const timelineAccountId = await timelineAccountOf(tx, { leadId, opportunityId, accountId });
    const data = { ...body, timelineAccountId, userId: actingUserId(caller) ?? null };
    const activity = asActivity(await tx.activity.create({ data }));
    emit(activityLogged, { data: { activityId: activity.id, type: body.type, leadId }, record: activity });
    return activity;
  },
};
