import type { sessions } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { endOtherSessions } from './end-other-sessions.ts';
import { endSession } from './end-session.ts';
import { listSessions } from './list-sessions.ts';

export const sessionHandlers = (tools: Tools) =>
  ({
    listSessions,
    endSession: endSession(tools),
    endOtherSessions: endOtherSessions(tools),
  }) satisfies Handlers<typeof sessions, Tx>;
