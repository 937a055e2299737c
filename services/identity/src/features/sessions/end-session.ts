import type { sessions } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { endSessions } from '../auth/session.ts';
import { openSessionsOf } from './session-owner.ts';

export const endSession =
  (tools: Tools): Handler<typeof sessions.endSession> =>
  async ({ params, caller, tx, emit, afterCommit }) => {
    const { userId } = openSessionsOf(caller);
    const [ended] = await endSessions(tx, emit, { where: { id: params.id, userId }, reason: 'ended' });
    if (ended === undefined) throw fail('not_found');
    afterCommit(() => tools.invalidateCredentials({ sessionId: ended }));
    return { id: ended, deleted: true };
  };
