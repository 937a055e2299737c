import type { sessions } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { endSessions } from '../auth/session.ts';
import { openSessionsOf } from './session-owner.ts';

export const endOtherSessions =
  (tools: Tools): Handler<typeof sessions.endOtherSessions> =>
  async ({ caller, tx, emit, afterCommit }) => {
    const { userId } = openSessionsOf(caller);
    const { sessionId } = caller;
    const others = { userId, ...(sessionId !== undefined && { id: { not: sessionId } }) };
    const ended = await endSessions(tx, emit, { where: others, reason: 'ended' });
    afterCommit(async () => {
      for (const id of ended) await tools.invalidateCredentials({ sessionId: id });
    });
    return { ended: ended.length };
  };
