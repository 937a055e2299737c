import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { concludeRefresh, requireReauth } from './conclude-refresh.ts';
import { openTokens } from './connection.ts';
import { type Refresh, refreshConnectionJob, refreshTokens } from './refresh.ts';

type Context = JobContext<z.output<typeof refreshConnectionJob.payload>, Tx>;

const busyMs = 2_000;

/** Refreshes the tokens of a connection before they expire, again and again until its grant ends. */
export const keepConnectionFresh = (tools: Tools) =>
  job({
    ...refreshConnectionJob,
    async run({ payload, tx, outside, finish }: Context) {
      const where = { id: payload.connectionId, refreshRound: payload.round, deletedAt: null };
      const row = await tx.connection.findFirst({ where });
      if (!row?.refreshAt) return;
      const conclude = (refresh: Exclude<Refresh, { kind: 'busy' }>) =>
        finish(async ({ tx: inside, emit }) => {
          const concluded = await concludeRefresh({ tx: inside, emit }, refresh, row.id, tools);
          return concluded.refreshAt ?? undefined;
        });
      // Another process has refreshed the tokens, or one that ended before it stored what that means for the status.
      if (row.refreshAt > new Date()) {
        const { refreshAt, failingSince } = row;
        return failingSince ? finish(async () => refreshAt) : conclude({ kind: 'current', row });
      }
      if (!openTokens(tools.seal, row)?.refreshToken)
        return finish(async (inside) => void (await requireReauth(inside, row, 'token_expired')));
      const refresh = await outside(() => refreshTokens(tx, tools, row, { attemptsMax: 1 }));
      return refresh.kind === 'busy' ? finish(async () => new Date(Date.now() + busyMs)) : conclude(refresh);
    },
    // A connection without this job would stop working when its token expires.
    giveUp: scheduleAgain(refreshConnectionJob),
  });
