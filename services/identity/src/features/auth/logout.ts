import type { signIn } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { endSessions } from './session.ts';

export const logout =
  (tools: Tools): Handler<typeof signIn.logout> =>
  async ({ caller, tx, emit, afterCommit }) => {
    const { sessionId } = caller;
    if (sessionId === undefined) throw fail('no_session');
    await endSessions(tx, emit, { where: { id: sessionId }, reason: 'logout' });
    afterCommit(() => tools.invalidateCredentials({ sessionId }));
    return { signedOut: true };
  };
