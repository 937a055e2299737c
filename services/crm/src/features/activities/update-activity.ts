import { type activities, activityUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import { checkPartner } from '../../check-partner.ts';
import type { Handler, Peers } from '../../handler.ts';
import { holdLead } from '../leads/lead.ts';
import { asActivity, checkLinked, checkOccurredAt, lockActivity, timelineAccountOf } from './activity.ts';
import { checkRecords } from './check-records.ts';

export const updateActivity = (peers: Peers): Handler<typeof activities.updateActivity> => ({
  async check({ body, caller, tx, under }) {
    checkOccurredAt(body.occurredAt);
    await checkRecords({ tx, under }, body);
    await checkPartner(peers, body.partnerId, caller);
  },
  async run({ params, body, tx, emit, ifMatch }) {
    await holdLead(tx, body.leadId);
    const activity = await lockActivity(tx, params.id);
    ifMatch(activity);
    const { isEmpty, values, audit } = diff(activity, body);
    if (isEmpty) return activity;
    const links = { ...activity, ...values };
    checkLinked(links);
    const data = { ...values, timelineAccountId: await timelineAccountOf(tx, links), version: { increment: 1 } };
    const [row] = await tx.activity.updateManyAndReturn({ where: { id: activity.id }, data });
    if (!row) throw fail('not_found');
    const updated = asActivity(row);
    emit(activityUpdated, {
      data: { activityId: updated.id, fields: Object.keys(values) },
      record: updated,
      changes: audit,
    });
    return updated;
  },
});
