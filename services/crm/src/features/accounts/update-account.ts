import type { accounts } from '@tandem/crm-contract';
import { type Assignee, checkUser } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { lockAccount } from './account.ts';
import { changeAccount } from './change-account.ts';
import { checkAccount } from './check-account.ts';

export const updateAccount = (peers: Peers): Handler<typeof accounts.updateAccount, Assignee | undefined> => ({
  async check({ body, caller, under, tx }) {
    await checkAccount({ under, tx }, body.parentAccountId, 'parentAccountId');
    const owner = await checkUser(peers, 'ownerId', body.ownerId, caller);
    await checkTeam(peers, body.teamId, caller);
    return owner;
  },
  async run({ params, body, tx, emit, ifMatch, found: owner }) {
    const account = await lockAccount(tx, params.id);
    ifMatch(account);
    return changeAccount({ tx, emit }, { account, change: body, owner });
  },
});
