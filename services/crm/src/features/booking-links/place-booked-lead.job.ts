import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { teamOfAssignee } from '@tandem/service';
import { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { changeLead } from '../leads/change-lead.ts';
import { asLead } from '../leads/lead.ts';

/** Job that gives a booked lead the team of its host. */
export const placeBookedLeadJob = { name: 'place-booked-lead', payload: z.object({ leadId: id('lead') }) };

type Payload = z.output<typeof placeBookedLeadJob.payload>;

/**
 * Gives a lead that a booking created the team that createLead gives leads of its host. A job, because a booking learns
 * its host inside its transaction, where no other service can be called. A lead that somebody changed stays as it is.
 */
export const placeBookedLead = (peers: Peers) =>
  job({
    ...placeBookedLeadJob,
    async run({ payload: { leadId }, tx, outside, finish }: JobContext<Payload, Tx>) {
      const booked = await tx.lead.findFirst({ where: { id: leadId, deletedAt: null, teamId: null } });
      if (!booked?.assignedTo) return;
      const { tenantId, assignedTo } = booked;
      const environment = booked.environment as 'live' | 'sandbox';
      const as = { tenantId, environment, requestId: `booked_lead_${leadId}` };
      const body = { userIds: [assignedTo], teamIds: [] };
      const [host] = await outside(() => peers.identity.findAssignees({ body, as }));
      const teamId = host ? teamOfAssignee(host.teamIds, null) : null;
      if (teamId === null) return;
      await finish(async ({ tx: inside, emit }) => {
        const row = await inside.lead.lockFirst({ where: { id: leadId } });
        if (!row || row.deletedAt || row.teamId !== null || row.assignedTo !== assignedTo) return;
        await changeLead({ tx: inside, emit }, { lead: asLead(row), change: { teamId }, assignee: undefined });
      });
    },
  });
