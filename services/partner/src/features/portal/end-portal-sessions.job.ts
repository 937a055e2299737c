import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { endPortalSessionsJob } from './portal-jobs.ts';

type Ended = z.output<typeof endPortalSessionsJob.payload>;

export const endPortalSessions = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...endPortalSessionsJob,
    async run({ payload, scope, outside }: JobContext<Ended, Tx>) {
      const { partnerId, portalUserId, exceptSessionId } = payload;
      const body = {
        partnerId,
        ...(portalUserId !== null && { portalUserId }),
        ...(exceptSessionId !== null && { exceptSessionId }),
      };
      const as = { ...scope, requestId: `end_portal_sessions_${partnerId}` };
      await outside(() => peers.identity.endPortalSessions({ body, as }));
    },
    /** Identity may be down for longer than a job is repeated, and the sessions would last. */
    giveUp: scheduleAgain(endPortalSessionsJob),
  });
