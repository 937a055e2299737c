import { bulkOpportunities } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import { checkAccount } from '../accounts/check-account.ts';
import { roleOf } from '../pipelines/mover-role.ts';
import { ofOpportunities } from './bulk-opportunities.ts';
import { changeOpportunity, splitChange } from './change-opportunity.ts';
import { checkReferences } from './check-references.ts';
import { lockOpportunity } from './opportunity.ts';
import { checkStage } from './stages.ts';

export const bulkUpdateOpportunities = (peers: Peers) =>
  bulkOperation({
    ...ofOpportunities,
    row: bulkOpportunities.bulkUpdateOpportunities,
    async checkRequest({ body: { change }, tx, under }) {
      await checkAccount({ under, tx }, change.accountId, 'change.accountId');
      await checkStage(tx, change.stageId, 'change.stageId');
    },
    async check({ body: { change }, caller }) {
      const { fields, move } = splitChange(change, 'change.');
      const owner = await checkReferences(peers, change, caller, 'change.');
      return { caller, fields, move, owner, roleId: move && (await roleOf(peers, caller)) };
    },
    change: async ({ tx, emit, id, found: { caller, ...change } }) =>
      changeOpportunity({ tx, emit, caller }, { opportunity: await lockOpportunity(tx, id), ...change }),
  });
