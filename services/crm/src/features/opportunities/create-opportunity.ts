import { unknownId } from '@tandem/contract';
import type { opportunities } from '@tandem/crm-contract';
import { type Assignee, checkUser, failField } from '@tandem/service';
import { checkPartner } from '../../check-partner.ts';
import { checkTeam } from '../../check-team.ts';
import { defaultCurrency } from '../../default-currency.ts';
import type { Handler, Peers } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { holdLead } from '../leads/lead.ts';
import { type MoverRole, moverRole } from '../pipelines/mover-role.ts';
import { openOpportunity, readOfLead, teamOfNew } from './new-opportunity.ts';

interface Found {
  currency: string;
  owner: Assignee | undefined;
  roleId: MoverRole;
}

export const createOpportunity = (peers: Peers): Handler<typeof opportunities.createOpportunity, Found> => ({
  async check({ body, caller, tx, under }) {
    const { leadId, currency = await defaultCurrency(peers, caller) } = body;
    const where = { id: leadId ?? 0, deletedAt: null };
    if (leadId && !(await under('leads:read', () => tx.lead.count({ where }))))
      throw failField('leadId', unknownId('lead'));
    await checkAccount({ under, tx }, body.accountId);
    const owner = await checkUser(peers, 'ownerId', body.ownerId, caller);
    await checkTeam(peers, body.teamId, caller);
    await checkPartner(peers, body.partnerId, caller);
    const roleId = await moverRole(peers, tx, caller);
    return { currency, owner, roleId };
  },
  async run({ body, found: { currency, owner, roleId }, caller, tx, emit }) {
    await holdLead(tx, body.leadId);
    const lead = await readOfLead(tx, body.leadId);
    const teamId = teamOfNew(body, { caller, owner, lead });
    return openOpportunity({ tx, emit, caller, roleId }, { ...body, currency, teamId }, lead);
  },
});
