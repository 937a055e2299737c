import type { portal } from '@tandem/partner-contract';
import { asService, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';

export const logoutFromPortal = ({ peers }: Tools): Handler<typeof portal.logoutFromPortal> => ({
  async check({ caller }) {
    const { sessionId } = caller;
    if (sessionId === undefined) throw fail('unauthenticated');
    await peers.identity.endPortalSessions({ body: { sessionId }, as: asService(caller) });
  },
  run: () => ({ signedOut: true }),
});
