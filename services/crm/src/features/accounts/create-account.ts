import type { accounts } from '@tandem/crm-contract';
import { type Assignee, checkUser } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { addAccount } from './add-account.ts';
import { checkAccount } from './check-account.ts';

export const createAccount = (peers: Peers): Handler<typeof accounts.createAccount, Assignee | undefined> => ({
  async check({ body, caller, under, tx }) {
    await checkAccount({ under, tx }, body.parentAccountId, 'parentAccountId');
    const owner = await checkUser(peers, 'ownerId', body.ownerId, caller);
    await checkTeam(peers, body.teamId, caller);
    return owner;
  },
  run: ({ body, caller, tx, emit, found: owner }) => addAccount({ tx, emit }, { body, caller, owner }),
});
