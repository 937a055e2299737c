import { orAbsent } from '@tandem/client/internal';
import { id } from '@tandem/contract';
import { type ConsumerContext, consumer } from '@tandem/events';
import { teamDeleted, teamMembersChanged } from '@tandem/identity-contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Users } from '../check-user.ts';
import { teamOfAssignee } from '../team-of-assignee.ts';
import { changeOwned, type OwnedRecords } from './owned-records.ts';

/** Job that brings the records of a user, or of a deleted team, to the team to which they belong now. */
const followTeamsJob = {
  name: 'follow-teams',
  payload: z.object({
    tenantId: id('tenant'),
    /** Null for all records of a deleted team. */
    userId: id('user').nullable(),
    /** Null after the user has joined a team. */
    leftTeamId: id('team').nullable(),
    /** The team into which the records may follow; null if they may only leave. */
    intoTeamId: id('team').nullable().default(null),
  }),
};

/** A change of teams after which records may move. */
type TeamMove = z.output<typeof followTeamsJob.payload>;

/** Schedules that records follow their owners between teams, in both environments. */
export function followMembers<Tx>() {
  return consumer({
    name: 'follow-members',
    on: [teamMembersChanged, teamDeleted],
    everyEnvironment: true,
    async handle(events, { schedule }: ConsumerContext<Tx>) {
      const moves = events.flatMap((event): TeamMove[] => {
        const { tenantId } = event;
        if (event.name === 'team.deleted')
          return [{ tenantId, userId: null, leftTeamId: event.data.teamId, intoTeamId: null }];
        const { teamId, added, removed, follow } = event.data;
        const into = new Map(follow.map((one) => [one.userId, one.teamId]));
        const move = (userId: number) => ({ tenantId, userId, intoTeamId: into.get(userId) ?? null });
        return [
          ...removed.map((userId) => ({ ...move(userId), leftTeamId: teamId })),
          // Records without a team stay where they are if they may not follow.
          ...added.filter((userId) => into.has(userId)).map((userId) => ({ ...move(userId), leftTeamId: null })),
        ];
      });
      if (moves.length) await schedule(followTeamsJob, moves);
    },
  });
}

/**
 * Records in the team that their owner has left go to the only team of the owner, if identity allowed it, or to none; so
 * do records without a team. Other records keep the team that somebody gave them.
 */
export function followTeams<Tx>(users: Users, records: readonly OwnedRecords<Tx>[]) {
  return job({
    ...followTeamsJob,
    async run({ payload, outside, finish }: JobContext<TeamMove, Tx>) {
      const { userId, intoTeamId } = payload;
      const teamIds = await outside(() => currentTeams(users, payload));
      // A user who has joined or left another team meanwhile is followed by the job of that change.
      const target = intoTeamId !== null && teamOfAssignee(teamIds, null) === intoTeamId ? intoTeamId : null;
      await finish(async (inside) => {
        for (const teamId of teamsLeft(payload, teamIds, target))
          for (const one of records) {
            if (userId !== null && !one.owner) continue;
            const where = { ...one.exists, teamId, ...(userId !== null && one.owner && { [one.owner]: userId }) };
            if (await changeOwned(inside, one, { where, next: () => ({ teamId: target }) })) return new Date();
          }
        return undefined;
      });
    },
  });
}

/** The teams whose records move; null stands for records without a team. */
function teamsLeft(
  { leftTeamId }: TeamMove,
  teamIds: readonly number[],
  target: number | null,
): readonly (number | null)[] {
  // Nothing moves out of a team that the user has joined again.
  const left = leftTeamId === null || teamIds.includes(leftTeamId) ? [] : [leftTeamId];
  return target === null ? left : [...left, null];
}

async function currentTeams(users: Users, { tenantId, userId }: TeamMove): Promise<readonly number[]> {
  if (userId === null) return [];
  const as = { tenantId, environment: 'live' as const, requestId: `follow_teams_${userId}` };
  return (await orAbsent(users.findUser({ params: { id: userId }, as })))?.teamIds ?? [];
}
